/* SPDX-License-Identifier: Apache-2.0
 *
 * What the proxy writes for a request that was allowed has to be read as that request, by itself.
 */
#ifndef SANDLOCK_TESTS_FUZZ_FORWARDED_H
#define SANDLOCK_TESTS_FUZZ_FORWARDED_H

#include <string.h>

#include "runtime/http/reader.h"
#include "runtime/http/write.h"
#include "tests/fuzz/fuzz.h"

/* Writes the request, reads it again, and returns the head that was read, with *ret_again. */
static inline const struct http_head *fuzz_forward(const struct http_head *head,
	const struct http_request *req, const struct http_attach *attach,
	const struct http_connection *connection, struct http_request *ret_again)
{
	static char out[HTTP_HEAD_MAX + HTTP_WRITE_EXTRA];
	static struct http_head again;
	struct http_reader r;
	struct http_piece p;
	const size_t n = http_write_request(out, sizeof(out), head, req, attach);

	MUST(n > 0);
	http_reader_init(&r, HTTP_REQUESTS, &(struct http_limits){ HTTP_HEAD_MAX, 128 });
	MUST(http_reader_next(&r, out, n, 0, &again, &p) == HTTP_GOT_HEAD && p.used == n);
	MUST(http_request_make(&again, connection, ret_again) == HTTP_NO_FAULT);
	MUST(strcmp(req->method, ret_again->method) == 0);
	MUST(http_host_same(&req->host, &ret_again->host));
	MUST(req->path_len == ret_again->path_len);
	MUST(memcmp(req->path, ret_again->path, req->path_len) == 0);
	return &again;
}

#endif
