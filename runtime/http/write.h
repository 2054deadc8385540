/* SPDX-License-Identifier: Apache-2.0
 *
 * Heads as they go out on HTTP/1.1: from what was understood, never from the bytes that came.
 *
 * Request line, Host, Content-Length, Transfer-Encoding, Connection and Upgrade are made here;
 * hop-by-hop fields and what Connection names stay behind (RFC 9110 section 7.6.1); the others go
 * out as they came in, in their order. A function returns the length, or 0 when the buffer is too
 * small: HTTP_HEAD_MAX, HTTP_WRITE_EXTRA and three times a credential's value are always enough.
 */
#ifndef SANDLOCK_HTTP_WRITE_H
#define SANDLOCK_HTTP_WRITE_H

#include "runtime/http/rules.h"

/* What the writer's own fields and a credential can add to a head. The path can be three times what
 * it was. */
#define HTTP_WRITE_EXTRA (2 * HTTP_PATH_MAX + 4096)

/* What a credential changes: fields of that name are left out and one is added. */
struct http_attach {
	const struct http_auth *auth; /* NULL: nothing */
	struct http_span value; /* HTTP_AUTH_BASIC: the encoded pair; otherwise the secret itself */
};

/* The head of the request to the server. The framing is head's: HTTP_BODY_STREAM becomes chunked,
 * or Content-Length where the length is known. */
size_t http_write_request(char *buf, size_t size, const struct http_head *head,
	const struct http_request *req, const struct http_attach *attach);

/* The head of the response to the client. framing and close are what the caller does: with
 * HTTP_BODY_UNTIL_CLOSE close must be set. length counts for HTTP_BODY_LENGTH, and is written for
 * HTTP_BODY_NONE too when it is known (HEAD, 304). */
size_t http_write_response(char *buf, size_t size, const struct http_head *head,
	enum http_framing framing, bool close);

/* An answer of our own with a short text as its body; extra: whole field lines, or "". */
size_t http_write_answer(char *buf, size_t size, unsigned int status, const char *extra,
	const char *text, bool head_request, bool close);

/* The line in front of a chunk of n > 0 bytes; behind it goes "\r\n". */
size_t http_write_chunk(char *buf, size_t size, uint64_t n);
/* The last chunk and the trailers of head (NULL: none). */
size_t http_write_last_chunk(char *buf, size_t size, const struct http_head *trailers);

/* host[:port], for :authority of HTTP/2. */
size_t http_write_authority(char *buf, size_t size, const struct http_request *req);

/* The value of the header that carries the credential; 0 too when the value cannot be in a header.
 */
size_t http_write_credential(char *buf, size_t size, const struct http_attach *attach);

/* The request target with the credential in its query, for :path of HTTP/2 too. */
size_t http_write_target(
	char *buf, size_t size, const struct http_request *req, const struct http_attach *attach);

/* Whether a field goes on, for writers of HTTP/2: not hop-by-hop, not Host or framing, and not what
 * the credential replaces. Expect goes on; TE does not (gRPC needs "te: trailers" to be made anew).
 */
bool http_forwards(const struct http_field *f, const struct http_attach *attach);

#endif
