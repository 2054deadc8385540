/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes heads of HTTP/1.1 from what was parsed, never from the bytes that were received.
 *
 * Request line, Host, Content-Length, Transfer-Encoding, Connection and Upgrade are made here.
 * Hop-by-hop fields and those that Connection names are left out (RFC 9110 section 7.6.1). The
 * other fields are written unchanged and in their order. A function returns the length, or 0 when
 * the buffer is too small: HTTP_HEAD_MAX, HTTP_WRITE_EXTRA and three times a credential's value are
 * always enough.
 */
#ifndef SANDLOCK_HTTP_WRITE_H
#define SANDLOCK_HTTP_WRITE_H

#include "runtime/http/rules.h"

/* What the writer's own fields and a credential can add to a head. Escaping can make the path three
 * times as long. */
#define HTTP_WRITE_EXTRA (2 * HTTP_PATH_MAX + 4096)

/* What a credential changes: fields of its name are left out, and one is added. */
struct http_attach {
	const struct http_auth *auth; /* NULL: nothing */
	struct http_span value; /* HTTP_AUTH_BASIC: USER:VALUE in base64; otherwise the value */
};

/* Writes the head of the request to the server. The framing is head's: HTTP_BODY_STREAM becomes
 * chunked, or Content-Length where the length is known. */
size_t http_write_request(char *buf, size_t size, const struct http_head *head,
	const struct http_request *req, const struct http_attach *attach);

/* Writes the head of the response to the client. The caller says framing and close: with
 * HTTP_BODY_UNTIL_CLOSE close must be set. length counts for HTTP_BODY_LENGTH, and is written for
 * HTTP_BODY_NONE too when it is known (HEAD, 304). */
size_t http_write_response(char *buf, size_t size, const struct http_head *head,
	enum http_framing framing, bool close);

/* Writes an answer of the proxy with a short text as its body; extra: complete field lines, or
 * "". */
size_t http_write_answer(char *buf, size_t size, unsigned int status, const char *extra,
	const char *text, bool head_request, bool close);

/* Writes the line before a chunk of n > 0 bytes. The caller writes "\r\n" after the chunk. */
size_t http_write_chunk(char *buf, size_t size, uint64_t n);
/* Writes the last chunk and the trailers of head (NULL: none). */
size_t http_write_last_chunk(char *buf, size_t size, const struct http_head *trailers);

/* Writes host[:port], for :authority of HTTP/2. */
size_t http_write_authority(char *buf, size_t size, const struct http_request *req);

/* Whether a credential can be sent: no control characters (RFC 9110 section 5.5, and RFC 7617
 * section 2 for those in base64), and no blank at its ends, which a server does not read. */
bool http_may_send(struct http_span credential);

/* Whether the request has such a field; "_" in a name is as good as "-". */
bool http_has_field(const struct http_head *head, struct http_span name);

/* Whether the text contains the value, as it is or with some of its bytes escaped, as in a URI or
 * in a form. */
bool http_repeats(struct http_span text, struct http_span value);

/* Writes the value of the header that carries the credential. Returns 0 also when the value may not
 * be in a header. */
size_t http_write_credential(char *buf, size_t size, const struct http_attach *attach);

/* Writes the request target with the credential in its query, also for :path of HTTP/2. */
size_t http_write_target(
	char *buf, size_t size, const struct http_request *req, const struct http_attach *attach);

/* Whether a field is forwarded on HTTP/2: not hop-by-hop fields, Host, framing, and what the
 * credential replaces. Expect is forwarded. TE is not; the writer makes "te: trailers" anew, which
 * gRPC needs. */
bool http_forwards(const struct http_field *f, const struct http_attach *attach);

#endif
