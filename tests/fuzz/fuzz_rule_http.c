/* SPDX-License-Identifier: Apache-2.0
 *
 * HTTP rules: what parses is rendered, and that parses to the same text again; a request that is
 * written from a rule without a wildcard is matched by it. The first byte says which grammar.
 */
#include <string.h>

#include "annotations/rule_http.h"
#include "tests/fuzz/fuzz.h"

static void check_matches(struct arena *a, const struct http_rule *r)
{
	const struct http_rules rules = { .allow = r, .n_allow = 1 };
	const struct http_connection where = { .port = 80 };
	const char *text = rule_http_render_rule(a, r), *path = strchr(text, '/');
	struct http_request *req = arena_alloc(a, sizeof(*req));
	size_t n = strlen(path);

	if (!r->method || !r->host)
		return;
	if (path[n - 1] == '*') { /* a name goes on there, and does not end with a dot */
		path = arena_printf(a, "%.*sa", (int)n - 1, path);
		n = strlen(path);
	}
	strcpy(req->method, r->method);
	strcpy(req->host.text, r->host);
	if (http_path_make((struct http_span){ path, n }, req->path, &req->path_len) !=
		HTTP_NO_FAULT)
		return; /* written with escapes it is longer than a path may be */
	MUST(http_judge(&rules, req, &where).allowed || strcmp(r->method, "TRACK") == 0);
}

static void check_list(struct arena *a, const char *text, bool allow)
{
	struct rule_http_list l, again;
	const char *out;

	if ((allow ? rule_http_parse_allow(a, text, &l) : rule_http_parse_deny(a, text, &l)) < 0)
		return;
	MUST(l.n > 0);
	out = rule_http_render(a, &l);
	MUST(rule_http_parse_deny(a, out, &again) == 0 && again.n == l.n);
	MUST(strcmp(out, rule_http_render(a, &again)) == 0);
	for (size_t i = 0; i < l.n && allow; i++)
		check_matches(a, &l.items[i]);
}

static void check_auth_list(struct arena *a, const char *text)
{
	struct rule_auth_list l, again;
	const char *out;

	if (rule_auth_parse(a, text, &l) < 0)
		return;
	out = rule_auth_render(a, &l);
	MUST(rule_auth_parse(a, out, &again) == 0);
	MUST(strcmp(out, rule_auth_render(a, &again)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_arena struct arena *a = arena_new();
	const char *text;

	if (size == 0)
		return 0;
	text = arena_strndup(a, (const char *)data + 1, size - 1);
	switch (data[0] % 3) {
	case 0: check_list(a, text, true); break;
	case 1: check_list(a, text, false); break;
	case 2: check_auth_list(a, text); break;
	}
	return 0;
}
