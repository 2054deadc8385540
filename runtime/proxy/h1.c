/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/proxy/h1.h"

#include <stdio.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "runtime/proxy/judge.h"

/* The field of a refusal that names its class. */
#define CLASS_FIELD "Sandlock-Refused: "

void h1_begin(struct conn *c)
{
	c->stage = CONN_HTTP1;
	http_reader_init(&c->h1.requests, HTTP_REQUESTS, &c->p->plan->limits.head);
	http_reader_init(&c->h1.responses, HTTP_RESPONSES, &c->p->plan->limits.head);
}

static void h1_answer(
	struct conn *c, unsigned int status, const char *class, const char *text, bool close)
{
	const bool bodiless = c->h1.head_request;
	char extra[sizeof(CLASS_FIELD) + 128], body[512];
	char *room = side_room(&c->down, SIDE_SMALL);
	size_t n = 0;

	snprintf(extra, sizeof(extra), CLASS_FIELD "%.100s\r\n", class);
	snprintf(body, sizeof(body), "%.300s (%.100s)\n", text, class);
	if (room)
		n = http_write_answer(room, SIDE_SMALL, status, extra, body, bodiless, close);
	if (n == 0) {
		conn_drop(c);
		return;
	}
	side_fill(&c->down, n);
	if (close)
		conn_finish(c);
}

/* When the head of the response was passed on, it cannot be replaced by a 502. On a reused
 * connection the client expects that the server may close it, and repeats the request on another.
 * So both connections are just closed. */
static void bad_gateway(struct conn *c, const char *why)
{
	if (c->h1.headed || c->h1.reused) {
		conn_drop(c);
		return;
	}
	h1_answer(c, 502, "upstream", why, true);
}

/* req NULL: the head could not be read. */
static void h1_refuse(struct conn *c, const struct http_request *req, enum http_fault f)
{
	judge_record(c->p, req, http_fault_word(f));
	h1_answer(c, http_fault_status(f), http_fault_word(f), http_fault_text(f), true);
}

/* Writes the head of the request from what was judged. */
static void h1_forward(struct conn *c, const struct http_attach *attach)
{
	const size_t size = HTTP_HEAD_MAX + HTTP_WRITE_EXTRA;
	struct proxy *p = c->p;
	char *room = side_room(&c->up, size);
	size_t n = 0;

	if (conn_ask(c) < 0) {
		bad_gateway(c, c->up_failure);
		return;
	}
	if (room)
		n = http_write_request(room, size, &p->head, &p->request, attach);
	if (n == 0) {
		if (room && attach->auth)
			explicit_bzero(room, size);
		bad_gateway(c, room ? "the request is too long" : "no memory");
		return;
	}
	side_fill(&c->up, n);
	c->up.secret |= attach->auth != NULL;
	c->h1.in_request = c->h1.answering = true;
	c->h1.headed = false;
	c->h1.out = p->head.framing;
	c->h1.websocket = p->head.websocket;
}

static void h1_on_request(struct conn *c)
{
	struct proxy *p = c->p;
	const struct http_head *head = &p->head;
	const bool complete = head->framing == HTTP_BODY_NONE;
	enum http_fault f;
	struct decision d;

	c->since_ms = 0;
	c->h1.head_request = http_span_is(head->method, "HEAD");
	c->h1.old = head->version == HTTP_1_0;
	c->h1.keep_alive = head->keep_alive;
	f = http_request_make(head, &c->where, &p->request);
	if (f) {
		h1_refuse(c, &p->request, f);
		return;
	}
	d = judge_request(c);
	if (!d.allowed) {
		c->h1.in_request = complete;
		h1_answer(c, d.status, d.class, d.text, !complete || !head->keep_alive);
		return;
	}
	h1_forward(c, &d.attach);
}

/* Passes one piece of a body on. */
static void pass(struct side *to, enum http_framing framing, struct http_span body)
{
	char line[32];
	size_t n;

	if (framing != HTTP_BODY_CHUNKED) {
		side_write(to, body.s, body.n);
		return;
	}
	n = http_write_chunk(line, sizeof(line), body.n);
	side_write(to, line, n);
	side_write(to, body.s, body.n);
	side_write(to, "\r\n", 2);
}

static void pass_end(struct side *to, enum http_framing framing, const struct http_head *trailers)
{
	char *room;

	if (framing != HTTP_BODY_CHUNKED)
		return;
	room = side_room(to, HTTP_HEAD_MAX);
	if (room)
		side_fill(to, http_write_last_chunk(room, HTTP_HEAD_MAX, trailers));
	else
		to->broken = true;
}

/* The client has closed its sending side: a request that is incomplete is dropped, a complete one
 * is still answered. */
static void on_client_end(struct conn *c)
{
	enum http_event e;

	if (!c->h1.in_request && c->h1.answering)
		return;
	e = http_reader_eof(&c->h1.requests, side_has(&c->down.in));
	if (e == HTTP_GOT_EOF)
		conn_finish(c);
	else
		conn_drop(c);
}

static bool got_something(enum http_event e)
{
	return e != HTTP_NEED_MORE && e != HTTP_NEED_ROOM;
}

/* The number of bytes of a body that may be written to this side now. A side that nobody reads any
 * more takes any number. */
static size_t room_in(const struct side *to)
{
	return to->broken || side_accepts(to) ? SIDE_BUFFER : 0;
}

/* Returns whether it made progress. */
static bool take_request(struct conn *c)
{
	struct side *s = &c->down;
	struct http_piece piece = { 0 };
	enum http_event e;

	if (c->stage != CONN_HTTP1 || (c->h1.answering && !c->h1.in_request))
		return false;
	if (!c->h1.in_request && !side_accepts(&c->down))
		return false;
	e = http_reader_next(&c->h1.requests, side_data(&s->in), side_has(&s->in), room_in(&c->up),
		&c->p->head, &piece);
	switch (e) {
	case HTTP_GOT_HEAD: h1_on_request(c); break;
	case HTTP_GOT_BODY: pass(&c->up, c->h1.out, piece.body); break;
	case HTTP_GOT_END:
		if (c->h1.answering)
			pass_end(&c->up, c->h1.out, &c->p->head);
		c->h1.in_request = false;
		break;
	case HTTP_GOT_FAULT: h1_refuse(c, NULL, c->h1.requests.fault); break;
	case HTTP_NEED_MORE:
		if (s->ended)
			on_client_end(c);
		else if (!c->h1.in_request && side_has(&s->in) > piece.used && !c->since_ms)
			c->since_ms = clock_now_ms();
		break;
	case HTTP_NEED_ROOM:
	case HTTP_GOT_EOF: break;
	}
	if (c->stage == CONN_HTTP1)
		side_take(s, piece.used);
	return got_something(e) || piece.used > 0;
}

static void begin_tunnel(struct conn *c)
{
	c->stage = CONN_TUNNEL;
}

static void h1_on_response(struct conn *c)
{
	const size_t size = HTTP_HEAD_MAX + HTTP_WRITE_EXTRA;
	const struct http_head *head = &c->p->head;
	const bool interim = head->status < 200;
	char *room = side_room(&c->down, size);
	struct h1 *h = &c->h1;
	size_t n;

	if (!room || (head->status == 101 && !(h->websocket && head->websocket))) {
		bad_gateway(c, "the server changes to a protocol that nobody has asked for");
		return;
	}
	if (c->up.secret)
		secrets_redact(c->p->secrets, &c->p->head);
	h->in = head->framing;
	if (h->in == HTTP_BODY_CHUNKED && h->old)
		h->in = HTTP_BODY_UNTIL_CLOSE;
	if (!interim)
		h->keep_alive &= head->keep_alive && h->in != HTTP_BODY_UNTIL_CLOSE;
	n = http_write_response(room, size, head, h->in, !interim && !h->keep_alive);
	if (n == 0) {
		bad_gateway(c, "the head of the response is too long");
		return;
	}
	if (interim && h->old)
		return; /* HTTP/1.0 has no interim responses */
	side_fill(&c->down, n);
	h->headed = !interim;
	if (head->status == 101)
		begin_tunnel(c);
}

static void h1_end_response(struct conn *c)
{
	struct h1 *h = &c->h1;

	if (!h->headed)
		return; /* the response was an interim one */
	if (c->up.secret && h->in == HTTP_BODY_CHUNKED)
		secrets_redact(c->p->secrets, &c->p->head); /* the trailers */
	pass_end(&c->down, h->in, &c->p->head);
	h->answering = h->headed = false;
	h->reused = true;
	/* A server that answers before the request is complete does not want the rest of it (RFC
	 * 9112 section 9.3). */
	if (!h->keep_alive || h->in_request)
		conn_finish(c);
}

static bool end_of_server(struct conn *c)
{
	enum http_event e = http_reader_eof(&c->h1.responses, side_has(&c->up.in));

	if (e == HTTP_GOT_END) {
		h1_end_response(c);
		if (c->stage == CONN_HTTP1)
			conn_finish(c);
		return true;
	}
	bad_gateway(
		c, c->up.error ? strerror(c->up.error) : "the server has closed the connection");
	return true;
}

static bool take_response(struct conn *c)
{
	struct side *s = &c->up;
	struct http_piece piece = { 0 };
	enum http_event e;

	if (c->stage != CONN_HTTP1 || !c->h1.answering ||
		(!c->h1.headed && !side_accepts(&c->down)))
		return false;
	if (c->up_failure[0]) {
		bad_gateway(c, c->up_failure);
		return true;
	}
	http_reader_expect(&c->h1.responses, c->h1.head_request);
	e = http_reader_next(&c->h1.responses, side_data(&s->in), side_has(&s->in),
		room_in(&c->down), &c->p->head, &piece);
	switch (e) {
	case HTTP_GOT_HEAD: h1_on_response(c); break;
	case HTTP_GOT_BODY: pass(&c->down, c->h1.in, piece.body); break;
	case HTTP_GOT_END: h1_end_response(c); break;
	case HTTP_GOT_FAULT: bad_gateway(c, http_fault_text(c->h1.responses.fault)); break;
	case HTTP_NEED_MORE:
		/* What the server sent before it closed the connection has to be read first. */
		if (s->broken && s->fd >= 0 && side_read(s))
			return true;
		if (s->fd >= 0 && s->ended)
			return end_of_server(c);
		break;
	case HTTP_NEED_ROOM:
	case HTTP_GOT_EOF: break;
	}
	if (c->stage == CONN_HTTP1 || c->stage == CONN_TUNNEL)
		side_take(s, piece.used);
	return got_something(e) || piece.used > 0;
}

/* Between two messages a server may only close the connection. If it sends anything else, the
 * connection is closed. */
static void look_at_idle_server(struct conn *c)
{
	if (c->stage == CONN_HTTP1 && !c->h1.answering && c->up.fd >= 0 &&
		(c->up.ended || side_has(&c->up.in) > 0))
		conn_finish(c);
}

void h1_run(struct conn *c)
{
	while (take_request(c) || take_response(c))
		c->moved = true;
	look_at_idle_server(c);
}

/* Returns whether bytes were passed on. */
static bool splice_one(struct side *from, struct side *to)
{
	const size_t n = side_has(&from->in);

	if (n == 0 || !side_accepts(to))
		return false;
	side_write(to, side_data(&from->in), n);
	side_take(from, n);
	return true;
}

void h1_tunnel(struct conn *c)
{
	c->moved |= splice_one(&c->down, &c->up);
	c->moved |= splice_one(&c->up, &c->down);
	if (c->down.broken || (c->up.ended && (c->up.broken || c->down.ended))) {
		if (side_has(&c->up.in) == 0)
			conn_finish(c);
		return;
	}
	if (c->down.ended && side_has(&c->down.in) == 0 && side_accepts(&c->up))
		side_finish(&c->up);
	if (c->up.ended && side_has(&c->up.in) == 0 && side_accepts(&c->down))
		side_finish(&c->down);
}
