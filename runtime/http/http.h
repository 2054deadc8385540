/* SPDX-License-Identifier: Apache-2.0
 *
 * HTTP without input and output: the words that every file of this room uses. What comes from a
 * workload or from a server is read strictly (RFC 9110, 9112, 9113), judged, and written again
 * from what was understood; what two programs might understand differently is refused.
 *
 * This room makes no system call and allocates nothing. Text is a span of the caller's buffer, and
 * is valid until the caller changes that buffer. Every size has a limit below.
 *
 *	bytes -> reader.h -> struct http_head -> request.h -> struct http_request -> rules.h ->
 *verdict struct http_head and http_request -> write.h -> bytes
 */
#ifndef SANDLOCK_HTTP_HTTP_H
#define SANDLOCK_HTTP_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest head, whatever the node's limits say. RFC 9112 section 3 recommends to support
 * request lines of 8000 bytes; limits of servers for heads are between 8 and 64 KiB. */
#define HTTP_HEAD_MAX   65536
#define HTTP_FIELDS_MAX 128
#define HTTP_METHOD_MAX 32
#define HTTP_PATH_MAX   8192
#define HTTP_HOST_MAX   253 /* longest name in the DNS, RFC 1035 */

struct http_span {
	const char *s;
	size_t n;
};

/* Limits of the node policy; none is above the constants. */
struct http_limits {
	uint32_t head_bytes; /* bytes of a head, of a trailer section, of one line between chunks */
	uint32_t fields;     /* fields in a head or in a trailer section */
};

/* Why something is refused: FAULT(name, status, word, text) of faults.def. A response of a server
 * that has a fault is answered with 502, whatever the status here. */
enum http_fault {
	HTTP_NO_FAULT = 0,
#define FAULT(name, status, word, text) HTTP_FAULT_##name,
#include "runtime/http/faults.def"
#undef FAULT
};

unsigned int http_fault_status(enum http_fault f);
const char *http_fault_word(enum http_fault f); /* "two-lengths": one token, for a log line */
const char *http_fault_text(enum http_fault f); /* a sentence without its full stop */

/* The fields that mean something to a proxy. What is hop-by-hop (RFC 9110 section 7.6.1) is never
 * forwarded. */
enum http_known {
	HTTP_OTHER = 0,
	HTTP_HOST,
	HTTP_CONTENT_LENGTH,
	HTTP_TRANSFER_ENCODING,
	HTTP_CONNECTION,
	HTTP_UPGRADE,
	HTTP_EXPECT,
	HTTP_TE,
	HTTP_TRAILER,
	HTTP_HOP_BY_HOP, /* Keep-Alive, Proxy-Connection, Proxy-Authorization, ... */
	HTTP_FORWARDED,  /* refused if it gives another host */
	HTTP_REFUSED,    /* fields that some servers use in place of method, path or host */
};

struct http_field {
	struct http_span name;  /* as it was received; lower case on HTTP/2 */
	struct http_span value; /* without white space around it */
	enum http_known known;
	bool hop; /* not forwarded: hop-by-hop by its name or because Connection names it */
};

enum http_version { HTTP_1_0, HTTP_1_1, HTTP_2 };

enum http_framing {
	HTTP_BODY_NONE,
	HTTP_BODY_LENGTH,
	HTTP_BODY_CHUNKED,
	HTTP_BODY_UNTIL_CLOSE, /* responses only */
	HTTP_BODY_STREAM,      /* HTTP/2: until END_STREAM; length is -1 or the number of bytes */
};

#define HTTP_LENGTH_UNKNOWN UINT64_MAX

/* A head as it was read, of a request or of a response. */
struct http_head {
	enum http_version version;
	struct http_span method;    /* request */
	struct http_span target;    /* request: as in the request line, or :path */
	struct http_span scheme;    /* request on HTTP/2 */
	struct http_span authority; /* request on HTTP/2; s NULL: there was none */
	uint16_t status;            /* response */
	struct http_span reason;    /* response; often empty */
	enum http_framing framing;
	uint64_t length;      /* HTTP_BODY_LENGTH: bytes; otherwise HTTP_LENGTH_UNKNOWN */
	bool keep_alive;      /* the connection may carry another message after this one */
	bool expect_continue; /* request: the client waits for 100 before it sends the body */
	bool websocket;       /* an upgrade to it is asked for, or (status 101) agreed to */
	size_t n_fields;
	struct http_field fields[HTTP_FIELDS_MAX];
};

/* ASCII only, as the protocol compares. */
bool http_span_is(struct http_span s, const char *word);
bool http_span_is_nocase(struct http_span s, const char *word);
struct http_span http_span_of(const char *text);

/* Returns the first field of that name, or NULL. */
const struct http_field *http_find(const struct http_head *h, const char *name);

#endif
