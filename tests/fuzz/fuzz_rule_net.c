/* SPDX-License-Identifier: Apache-2.0
 *
 * Network rules and lists of ports: what parses is rendered, and that parses to the same
 * text again. The first byte says which grammar.
 */
#include <string.h>

#include "annotations/rule_net.h"
#include "tests/fuzz/fuzz.h"

static void net_rules(struct arena *a, const char *text,
	int (*parse)(struct arena *, const char *, struct rule_net_list *))
{
	struct rule_net_list l, again;
	const char *out;

	if (parse(a, text, &l) < 0)
		return;
	MUST(l.n > 0);
	out = rule_net_render(a, &l);
	MUST(parse(a, out, &again) == 0);
	MUST(again.n == l.n && strcmp(out, rule_net_render(a, &again)) == 0);
}

static void bind_rules(struct arena *a, const char *text,
	int (*parse)(struct arena *, const char *, struct rule_bind *))
{
	struct rule_bind b, again;
	const char *out;

	if (parse(a, text, &b) < 0)
		return;
	out = rule_bind_render(a, &b);
	MUST(out != NULL);
	MUST(parse(a, out, &again) == 0);
	MUST(strcmp(out, rule_bind_render(a, &again)) == 0);
	for (size_t i = 1; i < b.n; i++)
		MUST(b.ports[i].first > b.ports[i - 1].last + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_arena struct arena *a = arena_new();
	const char *text;

	if (size == 0)
		return 0;
	text = arena_strndup(a, (const char *)data + 1, size - 1);
	switch (data[0] % 4) {
	case 0: net_rules(a, text, rule_net_parse_allow); break;
	case 1: net_rules(a, text, rule_net_parse_deny); break;
	case 2: bind_rules(a, text, rule_bind_parse_allow); break;
	case 3: bind_rules(a, text, rule_bind_parse_deny); break;
	}
	return 0;
}
