/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/http/reader.h"

#include <string.h>

#include "runtime/http/head.h"
#include "runtime/http/words.h"

/* A chunk's size is at most 15 digits: 2^60 bytes. Extensions (RFC 9112 section 7.1.1) are not
 * passed on and have to fit into a line of this length. */
#define CHUNK_DIGITS_MAX 15
#define CHUNK_LINE_MAX   256

enum phase {
	HEAD,
	BODY,        /* left has the number of bytes */
	UNTIL_CLOSE, /* until the end of the connection */
	CHUNK_SIZE,  /* digits of the chunk size; seen counts them */
	CHUNK_BWS,   /* white space in front of an extension */
	CHUNK_EXT,   /* extension, to the end of the line */
	CHUNK_LF,    /* the LF of that line */
	CHUNK_DATA,
	DATA_CR, /* the end behind the bytes of a chunk */
	DATA_LF,
	TRAILERS,
	OVER, /* HTTP_GOT_END is the next answer */
	BROKEN,
};

void http_reader_init(struct http_reader *r, enum http_role role, const struct http_limits *limits)
{
	*r = (struct http_reader){ .role = role, .limits = *limits, .phase = HEAD };
	if (r->limits.head_bytes > HTTP_HEAD_MAX)
		r->limits.head_bytes = HTTP_HEAD_MAX;
	if (r->limits.fields > HTTP_FIELDS_MAX)
		r->limits.fields = HTTP_FIELDS_MAX;
}

void http_reader_expect(struct http_reader *r, bool head_request)
{
	r->no_body = head_request;
}

static enum http_event broken(struct http_reader *r, enum http_fault f)
{
	r->fault = f;
	r->phase = BROKEN;
	return HTTP_GOT_FAULT;
}

/* Looks for the empty line. Returns the length up to and with it; 0: it has not come yet, or there
 * is a fault. */
static enum http_fault find_end(struct http_reader *r, const char *buf, size_t len, size_t *ret)
{
	const size_t max = len < r->limits.head_bytes ? len : r->limits.head_bytes;

	*ret = 0;
	while (r->seen < max) {
		const char *lf = memchr(buf + r->seen, '\n', max - r->seen);
		const uint32_t at = lf ? (uint32_t)(lf - buf) : (uint32_t)max;
		const bool empty = at == r->line + 1;

		if (!lf) {
			r->seen = at;
			break;
		}
		if (at == r->line || buf[at - 1] != '\r')
			return HTTP_FAULT_LINE_END;
		r->seen = r->line = at + 1;
		if (empty) {
			*ret = at + 1;
			return HTTP_NO_FAULT;
		}
	}
	if (len < r->limits.head_bytes)
		return HTTP_NO_FAULT;
	return r->line == 0 && r->phase == HEAD && r->role == HTTP_REQUESTS ? HTTP_FAULT_LINE_SIZE
									    : HTTP_FAULT_HEAD_SIZE;
}

static int phase_of(const struct http_head *h)
{
	switch (h->framing) {
	case HTTP_BODY_LENGTH: return h->length > 0 ? BODY : OVER;
	case HTTP_BODY_CHUNKED: return CHUNK_SIZE;
	case HTTP_BODY_UNTIL_CLOSE: return UNTIL_CLOSE;
	case HTTP_BODY_NONE:
	case HTTP_BODY_STREAM: break;
	}
	return OVER;
}

static enum http_event next_head(struct http_reader *r, const char *buf, size_t len,
	struct http_head *head, struct http_piece *ret)
{
	enum http_fault f;
	size_t n;

	/* One empty line in front of a request is forgiven, as RFC 9112 section 2.2 asks for. */
	if (r->role == HTTP_REQUESTS && !r->after_crlf && len >= 2 && memcmp(buf, "\r\n", 2) == 0) {
		r->after_crlf = true;
		r->seen = r->line = 0;
		ret->used = 2;
		return HTTP_NEED_MORE;
	}
	f = find_end(r, buf, len, &n);
	if (f != HTTP_NO_FAULT)
		return broken(r, f);
	if (n == 0)
		return HTTP_NEED_MORE;
	f = r->role == HTTP_REQUESTS
		    ? http_head_request(buf, n, r->limits.fields, head)
		    : http_head_response(buf, n, r->limits.fields, r->no_body, head);
	if (f != HTTP_NO_FAULT)
		return broken(r, f);
	r->after_crlf = false;
	r->seen = r->line = 0;
	r->left = head->framing == HTTP_BODY_LENGTH ? head->length : 0;
	r->phase = phase_of(head);
	ret->used = n;
	return HTTP_GOT_HEAD;
}

/* Gives as many bytes of the body as were received, belong to it and have room. */
static enum http_event next_body(
	struct http_reader *r, const char *buf, size_t len, size_t room, struct http_piece *ret)
{
	size_t n = len < room ? len : room;

	if (len > 0 && room == 0)
		return HTTP_NEED_ROOM;
	if (r->phase != UNTIL_CLOSE && n > r->left)
		n = (size_t)r->left;
	if (n == 0)
		return HTTP_NEED_MORE;
	ret->body = (struct http_span){ buf, n };
	ret->used += n;
	if (r->phase == UNTIL_CLOSE)
		return HTTP_GOT_BODY;
	r->left -= n;
	if (r->left == 0)
		r->phase = r->phase == BODY ? OVER : DATA_CR;
	return HTTP_GOT_BODY;
}

static enum http_fault size_digit(struct http_reader *r, char c)
{
	if (http_is(c, HTTP_C_HEX) && r->seen < CHUNK_DIGITS_MAX) {
		r->left = r->left << 4 | http_hex(c);
		return HTTP_NO_FAULT;
	}
	if (r->seen == 0 || http_is(c, HTTP_C_HEX))
		return HTTP_FAULT_CHUNK_SIZE;
	if (c == ' ' || c == '\t')
		r->phase = CHUNK_BWS;
	else if (c == ';')
		r->phase = CHUNK_EXT;
	else if (c == '\r')
		r->phase = CHUNK_LF;
	else
		return HTTP_FAULT_CHUNK_SIZE;
	return HTTP_NO_FAULT;
}

/* Takes one byte of the lines around chunks; seen is the number of bytes of this line. */
static enum http_fault chunk_byte(struct http_reader *r, char c)
{
	enum http_fault f = HTTP_NO_FAULT;

	switch ((enum phase)r->phase) {
	case CHUNK_SIZE: f = size_digit(r, c); break;
	case CHUNK_BWS:
		if (c == ';')
			r->phase = CHUNK_EXT;
		else if (c != ' ' && c != '\t')
			f = HTTP_FAULT_CHUNK;
		break;
	case CHUNK_EXT:
		if (c == '\r')
			r->phase = CHUNK_LF;
		else if (!http_is(c, HTTP_C_VALUE))
			f = HTTP_FAULT_CHUNK;
		break;
	case DATA_CR:
		r->phase = DATA_LF;
		f = c == '\r' ? HTTP_NO_FAULT : HTTP_FAULT_CHUNK;
		break;
	case CHUNK_LF:
	case DATA_LF:
		if (r->phase == DATA_LF)
			r->phase = CHUNK_SIZE;
		else
			r->phase = r->left > 0 ? CHUNK_DATA : TRAILERS;
		r->seen = r->line = 0;
		return c == '\n' ? HTTP_NO_FAULT : HTTP_FAULT_LINE_END;
	case HEAD:
	case BODY:
	case UNTIL_CLOSE:
	case CHUNK_DATA:
	case TRAILERS:
	case OVER:
	case BROKEN: return HTTP_FAULT_CHUNK;
	}
	return f != HTTP_NO_FAULT || ++r->seen <= CHUNK_LINE_MAX ? f : HTTP_FAULT_CHUNK;
}

static enum http_event next_chunk(
	struct http_reader *r, const char *buf, size_t len, size_t room, struct http_piece *ret)
{
	while (r->phase != CHUNK_DATA && r->phase != TRAILERS) {
		enum http_fault f;

		if (ret->used == len)
			return HTTP_NEED_MORE;
		f = chunk_byte(r, buf[ret->used++]);
		if (f != HTTP_NO_FAULT)
			return broken(r, f);
	}
	if (r->phase == TRAILERS)
		return HTTP_NEED_MORE;
	return next_body(r, buf + ret->used, len - ret->used, room, ret);
}

static enum http_event next_trailers(struct http_reader *r, const char *buf, size_t len,
	struct http_head *head, struct http_piece *ret)
{
	enum http_fault f;
	size_t n;

	f = find_end(r, buf, len, &n);
	if (f == HTTP_NO_FAULT && n > 0)
		f = http_head_trailers(buf, n, r->limits.fields, head);
	if (f != HTTP_NO_FAULT)
		return broken(r, f);
	if (n == 0)
		return HTTP_NEED_MORE;
	r->seen = r->line = 0;
	r->phase = HEAD;
	ret->used = n;
	return HTTP_GOT_END;
}

static enum http_event step(struct http_reader *r, const char *buf, size_t len, size_t room,
	struct http_head *head, struct http_piece *ret)
{
	switch ((enum phase)r->phase) {
	case HEAD: return next_head(r, buf, len, head, ret);
	case BODY:
	case UNTIL_CLOSE: return next_body(r, buf, len, room, ret);
	case CHUNK_SIZE:
	case CHUNK_BWS:
	case CHUNK_EXT:
	case CHUNK_LF:
	case CHUNK_DATA:
	case DATA_CR:
	case DATA_LF: return next_chunk(r, buf, len, room, ret);
	case TRAILERS: return next_trailers(r, buf, len, head, ret);
	case OVER:
		head->n_fields = 0;
		r->phase = HEAD;
		return HTTP_GOT_END;
	case BROKEN: break;
	}
	return HTTP_GOT_FAULT;
}

enum http_event http_reader_next(struct http_reader *r, const char *buf, size_t len, size_t room,
	struct http_head *head, struct http_piece *ret)
{
	struct http_piece p = { 0 };
	enum http_event e = step(r, buf, len, room, head, &p);

	/* Only framing was consumed; a body or an end may follow in the buffer. */
	while (e == HTTP_NEED_MORE && p.used > 0 && p.used < len) {
		struct http_piece more = { 0 };

		e = step(r, buf + p.used, len - p.used, room, head, &more);
		p.used += more.used;
		p.body = more.body;
		if (more.used == 0)
			break;
	}
	*ret = p;
	return e;
}

enum http_event http_reader_eof(struct http_reader *r, size_t len)
{
	if (r->phase == BROKEN)
		return HTTP_GOT_FAULT;
	if (r->phase == UNTIL_CLOSE || r->phase == OVER) {
		r->phase = HEAD;
		return HTTP_GOT_END;
	}
	return r->phase == HEAD && len == 0 ? HTTP_GOT_EOF : broken(r, HTTP_FAULT_CUT);
}

uint64_t http_reader_left(const struct http_reader *r)
{
	if (r->phase == UNTIL_CLOSE)
		return UINT64_MAX;
	return r->phase == BODY ? r->left : 0;
}

void http_reader_passed(struct http_reader *r, uint64_t n)
{
	if (r->phase != BODY)
		return;
	r->left -= n < r->left ? n : r->left;
	if (r->left == 0)
		r->phase = OVER;
}
