/* SPDX-License-Identifier: Apache-2.0
 *
 * A strict, incremental reader of HTTP/1.1 messages (RFC 9112), for an event loop.
 *
 * The caller keeps what it has received in one linear buffer and asks repeatedly what comes next in
 * it. The reader keeps no bytes. Each answer says how many bytes to take off the front. A head and
 * a trailer section are answered once they are complete, so the buffer must be able to grow to
 * limits.head_bytes. An answer never holds more body than there is room for, which the caller says
 * (back-pressure).
 *
 * Refused: bare CR or LF, control characters, white space before a colon or a continued line
 * (obs-fold), Content-Length twice or beside Transfer-Encoding, a coding other than chunked, chunks
 * that are not exactly as the grammar says, versions other than 1.0 and 1.1.
 */
#ifndef SANDLOCK_HTTP_READER_H
#define SANDLOCK_HTTP_READER_H

#include "runtime/http/http.h"

enum http_role { HTTP_REQUESTS, HTTP_RESPONSES };

enum http_event {
	HTTP_NEED_MORE, /* nothing complete is left; used may be more than 0 */
	HTTP_NEED_ROOM, /* there is body, and room was 0 */
	HTTP_GOT_HEAD,  /* head is filled in; its spans are in the buffer */
	HTTP_GOT_BODY,  /* piece.body, never empty */
	HTTP_GOT_END,   /* the message is over; head->fields are its trailers (often none). The next
			 * call begins the next message */
	HTTP_GOT_EOF,   /* only of http_reader_eof(): the connection ended between two messages */
	HTTP_GOT_FAULT, /* reader.fault; every further call answers the same */
};

struct http_piece {
	size_t used; /* bytes to take off the front of the buffer, once body has been passed on */
	struct http_span body;
};

/* Opaque, but for fault, which the caller may read. */
struct http_reader {
	enum http_fault fault;
	enum http_role role;
	struct http_limits limits;
	int phase;
	bool no_body;    /* HTTP_RESPONSES: the response is to a HEAD */
	bool after_crlf; /* an empty line before the request line has been seen */
	uint64_t left;   /* bytes of the body or of the chunk */
	uint32_t seen;   /* bytes of the head that were searched for its end */
	uint32_t line;   /* where its last line begins */
};

void http_reader_init(struct http_reader *r, enum http_role role, const struct http_limits *limits);

/* HTTP_RESPONSES: to be called before each final response; says whether it answers a HEAD and so
 * has no body. */
void http_reader_expect(struct http_reader *r, bool head_request);

/* room: how much body the caller can pass on. len may be 0: the end of a message needs no byte. */
enum http_event http_reader_next(struct http_reader *r, const char *buf, size_t len, size_t room,
	struct http_head *head, struct http_piece *ret);

/* The sender has ended its side and len bytes are left that HTTP_NEED_MORE did not take. A body
 * that ends with the connection gives HTTP_GOT_END, an incomplete message gives HTTP_GOT_FAULT. */
enum http_event http_reader_eof(struct http_reader *r, size_t len);

/* For a body of known length, or one until the end of the connection, that is passed on by
 * splice(2): how many bytes may be passed (0: none), and that n were. */
uint64_t http_reader_left(const struct http_reader *r);
void http_reader_passed(struct http_reader *r, uint64_t n);

/* HTTP/2 (RFC 9113 section 8): the same head out of fields that come one by one. Names and values
 * are copied to the store, whose size is the limit. Checked are the order, pseudo fields, lower
 * case, and the absence of what only HTTP/1 may have (Connection, Transfer-Encoding, TE other than
 * "trailers"). */
struct http_store {
	char *buf;
	size_t size;
	size_t used;
};

/* The pseudo fields that have been seen. */
struct http_h2_fields {
	struct http_store *store;
	const struct http_limits *limits;
	bool response;
	bool trailers;
	bool regular; /* no pseudo field may follow */
};

void http_h2_begin(struct http_h2_fields *f, struct http_head *head, struct http_store *store,
	const struct http_limits *limits, bool response);
enum http_fault http_h2_field(struct http_h2_fields *f, struct http_head *head,
	struct http_span name, struct http_span value);
/* end_stream: there is no body. */
enum http_fault http_h2_end(struct http_h2_fields *f, struct http_head *head, bool end_stream);
/* Begins a trailer section, in which no pseudo field may come. */
void http_h2_begin_trailers(struct http_h2_fields *f, struct http_head *head,
	struct http_store *store, const struct http_limits *limits);

#endif
