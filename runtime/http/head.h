/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the room: parses a complete head or trailer section, with the empty line at its end, into
 * a struct http_head, and checks what its fields say about framing.
 */
#ifndef SANDLOCK_HTTP_HEAD_H
#define SANDLOCK_HTTP_HEAD_H

#include "runtime/http/http.h"

enum http_fault http_head_request(
	const char *buf, size_t n, uint32_t max_fields, struct http_head *ret);
enum http_fault http_head_response(
	const char *buf, size_t n, uint32_t max_fields, bool head_request, struct http_head *ret);
enum http_fault http_head_trailers(
	const char *buf, size_t n, uint32_t max_fields, struct http_head *ret);

/* Adds a field, also for HTTP/2. The name is a token and the value has been checked. */
enum http_fault http_head_add(struct http_head *h, uint32_t max_fields, struct http_span name,
	struct http_span value, bool request);
/* Reads Content-Length where it is the only framing. */
enum http_fault http_head_length(const struct http_head *h, uint64_t *ret);
enum http_fault http_head_expect(struct http_head *h);
/* Whether a field may stand in a trailer section (RFC 9110 section 6.5.1). */
bool http_head_may_trail(const struct http_field *f);

#endif
