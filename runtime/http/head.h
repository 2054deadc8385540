/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the room: a complete head or trailer section, which ends with its empty line, into a
 * struct http_head. What is said of framing is checked in the same go.
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

/* Of HTTP/2 as well: one more field, whose name is a token and whose value is clean. */
enum http_fault http_head_add(struct http_head *h, uint32_t max_fields, struct http_span name,
	struct http_span value, bool request);
/* Content-Length where it is the only framing. */
enum http_fault http_head_length(const struct http_head *h, uint64_t *ret);
enum http_fault http_head_expect(struct http_head *h);
/* Whether a field may stand in a trailer section (RFC 9110 section 6.5.1). */
bool http_head_may_trail(const struct http_field *f);

#endif
