/* SPDX-License-Identifier: Apache-2.0
 *
 * Fields of HTTP/2 -> head -> canonical request -> verdict -> the request in text. The input is
 * "name\nvalue\n" again and again; the first byte says whether the stream ends. What is written
 * must be one request, with the same verdict: no value makes two.
 */
#include "tests/fuzz/forwarded.h"

static const struct http_rule allow = { NULL, NULL, "", 0, HTTP_PATH_BELOW };
static const struct http_rule deny = { NULL, NULL, "/admin", 6, HTTP_PATH_BELOW };
static const struct http_rules rules = {
	.allow = &allow, .n_allow = 1, .deny = &deny, .n_deny = 1
};
static const struct http_connection connection = { .addr = { 192, 0, 2, 1 }, .port = 80 };
static const struct http_limits limits = { 8192, 64 };

static struct http_head head;
static struct http_request req, req2;

static struct http_span line(const char **s, const char *end)
{
	const char *lf = memchr(*s, '\n', (size_t)(end - *s));
	const char *stop = lf ? lf : end;
	struct http_span l = { *s, (size_t)(stop - *s) };

	*s = lf ? lf + 1 : end;
	return l;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char buf[4096];
	struct http_store store = { buf, sizeof(buf), 0 };
	const char *s = (const char *)data + 1, *end = (const char *)data + size;
	enum http_fault fault = HTTP_NO_FAULT;
	struct http_h2_fields f;

	if (size == 0)
		return 0;
	http_h2_begin(&f, &head, &store, &limits, false);
	while (s < end && fault == HTTP_NO_FAULT) {
		const struct http_span name = line(&s, end);

		fault = http_h2_field(&f, &head, name, line(&s, end));
		MUST(store.used <= store.size && head.n_fields <= limits.fields);
	}
	if (fault != HTTP_NO_FAULT || http_h2_end(&f, &head, data[0] & 1) != HTTP_NO_FAULT)
		return 0;
	if (http_request_make(&head, &connection, &req) == HTTP_NO_FAULT &&
		http_judge(&rules, &req, &connection).allowed) {
		fuzz_forward(&head, &req, NULL, &connection, &req2);
		MUST(http_judge(&rules, &req2, &connection).allowed);
	}
	return 0;
}
