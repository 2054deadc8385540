/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes of a client -> reader -> canonical request -> verdict -> what is written, in pieces whose
 * size the first byte says. What is written must be read as the same request with the same verdict,
 * and a path under /admin must never be allowed, however it is spelled.
 */
#include "runtime/http/path.h"
#include "tests/fuzz/forwarded.h"

static const struct http_rule allow = { NULL, NULL, "", 0, HTTP_PATH_BELOW };
static const struct http_rule deny = { NULL, NULL, "/admin", 6, HTTP_PATH_BELOW };
static const struct http_auth auth = {
	.rule = { "GET", "example.com", "/v1", 3, HTTP_PATH_BELOW },
	.shape = HTTP_AUTH_QUERY,
	.name = "key",
	.credential = "c",
	.cleartext = true,
};
static const struct http_pin_addr pin_addr = { false, { 192, 0, 2, 1 } };
static const struct http_pin pin = { "example.com", &pin_addr, 1 };
static const struct http_rules rules = { &allow, 1, &deny, 1, &auth, 1, &pin, 1 };
static const struct http_connection connection = { .addr = { 192, 0, 2, 1 }, .port = 80 };
static const struct http_limits limits = { 4096, 32 };

static struct http_head head;
static struct http_request req, req2;

static bool is_admin(const char *path, size_t n)
{
	char text[HTTP_PATH_MAX + 1];

	for (unsigned int how = 0; how <= HTTP_READ_ALL; how++) {
		size_t len = http_path_read(path, n, how, text);

		if (len >= 6 && memcmp(text, "/admin", 6) == 0 && (len == 6 || text[6] == '/'))
			return true;
	}
	return false;
}

static void check_forwarded(const struct http_verdict *v)
{
	const struct http_attach attach = { v->auth, { "s", 1 } };
	const struct http_head *again =
		fuzz_forward(&head, &req, v->auth ? &attach : NULL, &connection, &req2);
	struct http_verdict v2;

	MUST(head.framing == again->framing && head.length == again->length);
	v2 = http_judge(&rules, &req2, &connection);
	MUST(v2.allowed && v2.auth == v->auth);
}

static bool judge(void)
{
	struct http_verdict v;

	if (http_request_make(&head, &connection, &req) != HTTP_NO_FAULT)
		return false;
	v = http_judge(&rules, &req, &connection);
	if (v.allowed) {
		MUST(req.asterisk || !is_admin(req.path, req.path_len));
		check_forwarded(&v);
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t step = size ? 1 + data[0] : 1;
	const char *s = (const char *)data + 1;
	struct http_reader r;
	bool open = size > 0;

	http_reader_init(&r, HTTP_REQUESTS, &limits);
	for (size_t at = 0, have = 0, n = size ? size - 1 : 0; open && at < n;) {
		struct http_piece p;
		enum http_event e;

		have = n - at < have + step ? n - at : have + step;
		e = http_reader_next(&r, s + at, have, step, &head, &p);
		MUST(p.used <= have && p.body.n <= step);
		MUST(e != HTTP_NEED_ROOM);
		MUST(e != HTTP_GOT_BODY || p.body.n > 0);
		open = e != HTTP_GOT_FAULT && (e != HTTP_GOT_HEAD || judge());
		open &= e != HTTP_NEED_MORE || p.used > 0 || have < n - at;
		at += p.used;
		have -= p.used;
	}
	return 0;
}
