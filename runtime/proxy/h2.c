/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/proxy/h2.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "runtime/proxy/judge.h"

static struct h2_stream *stream_new(struct conn *c, int32_t id)
{
	struct h2_stream *s = h2_memory_resize(&c->h2->memory, NULL, sizeof(*s));

	if (!s)
		return NULL;
	*s = (struct h2_stream){ .c = c, .down_id = id, .next = c->h2->streams };
	c->h2->streams = s;
	return s;
}

static void stream_free(struct h2_stream *s)
{
	struct h2 *h = s->c->h2;
	struct h2_stream **at = &h->streams;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	/* Gives the window back for bytes that nobody will read, because the other streams share
	 * it. */
	nghttp2_session_consume_connection(h->down, s->to_up.end - s->to_up.begin);
	if (h->up && !s->answered)
		nghttp2_session_consume_connection(h->up, s->to_down.end - s->to_down.begin);
	h2_pipe_free(&h->memory, &s->to_up);
	h2_pipe_free(&h->memory, &s->to_down);
	h2_memory_free(&h->memory, s);
}

/* Prepares the memory for the texts of a head that is being received. */
static int block_begin(
	struct h2_block *b, const struct http_limits *limits, bool response, bool trailers)
{
	if (!b->store.buf) {
		b->store.size = limits->head_bytes;
		b->store.buf = malloc(b->store.size);
		if (!b->store.buf)
			return NGHTTP2_ERR_CALLBACK_FAILURE;
	}
	b->store.used = 0;
	b->fault = HTTP_NO_FAULT;
	b->open = true;
	if (trailers)
		http_h2_begin_trailers(&b->fields, &b->head, &b->store, limits);
	else
		http_h2_begin(&b->fields, &b->head, &b->store, limits, response);
	return 0;
}

static void block_end(struct h2_block *b)
{
	free(b->store.buf);
	b->store = (struct http_store){ 0 };
	b->open = false;
}

static struct h2_block *block_of(struct conn *c, nghttp2_session *session)
{
	return session == c->h2->down ? &c->h2->from_down : &c->h2->from_up;
}

/* The client's preface, and each head of it, has to be complete within the time for a handshake. */
static int on_begin_frame(nghttp2_session *session, const nghttp2_frame_hd *hd, void *user)
{
	struct conn *c = user;

	if (session == c->h2->down && hd->type != NGHTTP2_CONTINUATION)
		c->since_ms = hd->type == NGHTTP2_HEADERS ? clock_now_ms() : 0;
	return 0;
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
	const struct http_limits *limits;
	struct conn *c = user;
	struct h2_stream *s;
	const bool down = session == c->h2->down;
	bool trailers;

	limits = &c->p->plan->limits.head;
	if (frame->hd.type != NGHTTP2_HEADERS)
		return 0;
	s = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
	if (down && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
		s = stream_new(c, frame->hd.stream_id);
		if (!s)
			return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
		nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, s);
	}
	trailers = down ? frame->headers.cat != NGHTTP2_HCAT_REQUEST : s && s->headed;
	return block_begin(block_of(c, session), limits, !down, trailers);
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
	size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags, void *user)
{
	struct h2_block *b = block_of(user, session);

	(void)frame, (void)flags;
	if (b->open && !b->fault)
		b->fault = http_h2_field(&b->fields, &b->head,
			(struct http_span){ (const char *)name, name_len },
			(struct http_span){ (const char *)value, value_len });
	return 0;
}

static void h2_reset(nghttp2_session *session, int32_t id, uint32_t code)
{
	if (session && id > 0)
		nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, code);
}

static int up_begin(struct conn *c);

static void h2_forward(struct h2_stream *s, const struct http_attach *attach, bool ended)
{
	struct conn *c = s->c;
	int rc;

	if (conn_ask(c) < 0 || up_begin(c) < 0) {
		h2_answer(s, 502, "upstream", c->up_failure[0] ? c->up_failure : "no memory");
		return;
	}
	s->to_up.ended = ended;
	rc = h2_forward_request(s, attach, ended);
	if (rc == 0)
		return;
	s->up_id = 0;
	if (rc == NGHTTP2_ERR_INVALID_ARGUMENT) {
		h2_answer(s, 502, "upstream", "the request is too long");
		return;
	}
	/* The server accepts no more streams. The client may repeat the request on another
	 * connection. */
	h2_reset(c->h2->down, s->down_id, NGHTTP2_REFUSED_STREAM);
}

static void h2_on_request(struct h2_stream *s, bool ended)
{
	struct conn *c = s->c;
	struct h2_block *b = &c->h2->from_down;
	enum http_fault f = b->fault ? b->fault : http_h2_end(&b->fields, &b->head, ended);
	const struct http_request *req = f ? NULL : &c->p->request;
	struct decision d;

	if (!f)
		f = http_request_make(&b->head, &c->where, &c->p->request);
	if (f) {
		h2_refuse(s, req, f);
		return;
	}
	d = judge_request(c);
	if (d.allowed)
		h2_forward(s, &d.attach, ended);
	else
		h2_answer(s, d.status, d.class, d.text);
}

static void h2_resume(nghttp2_session *session, int32_t id)
{
	if (session && id > 0)
		nghttp2_session_resume_data(session, id);
}

static void on_request_end(struct h2_stream *s)
{
	s->to_up.ended = true;
	h2_resume(s->c->h2->up, s->up_id);
}

static void on_trailers(
	struct h2_stream *s, struct h2_block *b, struct h2_pipe *p, nghttp2_session *to, int32_t id)
{
	enum http_fault f = b->fault ? b->fault : http_h2_end(&b->fields, &b->head, true);

	if (!f && h2_forward_trailers(s, &b->head, p) == 0) {
		h2_resume(to, id);
		return;
	}
	if (f && p == &s->to_up && !s->headed)
		h2_refuse(s, NULL, f);
	h2_reset(to, id, NGHTTP2_PROTOCOL_ERROR);
}

static void on_down_headers(struct h2_stream *s, const nghttp2_frame *frame)
{
	struct h2 *h = s->c->h2;
	const bool ended = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;

	if (frame->headers.cat == NGHTTP2_HCAT_REQUEST)
		h2_on_request(s, ended);
	else
		on_trailers(s, &h->from_down, &s->to_up, h->up, s->up_id);
	block_end(&h->from_down);
	s->c->since_ms = 0;
}

static void on_up_headers(struct h2_stream *s, const nghttp2_frame *frame)
{
	struct h2 *h = s->c->h2;
	struct h2_block *b = &h->from_up;
	const bool ended = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;

	if (s->c->up.secret)
		secrets_redact(s->c->p->secrets, &b->head);
	if (s->headed) {
		on_trailers(s, b, &s->to_down, h->down, s->down_id);
	} else if (b->fault || http_h2_end(&b->fields, &b->head, ended) != HTTP_NO_FAULT) {
		h2_reset(h->up, s->up_id, NGHTTP2_PROTOCOL_ERROR);
		h2_answer(s, 502, "upstream", "a response that cannot be understood");
	} else {
		if (ended)
			s->to_down.ended = true;
		h2_forward_response(s, ended);
	}
	block_end(b);
}

static int h2_on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
	struct conn *c = user;
	const bool down = session == c->h2->down;
	struct h2_stream *s = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);

	if (frame->hd.type == NGHTTP2_GOAWAY && !down)
		c->h2->ending = true;
	if (!s)
		return 0;
	if (frame->hd.type == NGHTTP2_HEADERS) {
		if (down)
			on_down_headers(s, frame);
		else
			on_up_headers(s, frame);
	} else if (frame->hd.type == NGHTTP2_DATA && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) {
		if (down) {
			on_request_end(s);
		} else {
			s->to_down.ended = true;
			h2_resume(c->h2->down, s->down_id);
		}
	}
	return 0;
}

/* nghttp2 resets the stream. What is left of the head is read and dropped. */
static int on_invalid_frame(
	nghttp2_session *session, const nghttp2_frame *frame, int lib_error_code, void *user)
{
	struct conn *c = user;

	(void)lib_error_code;
	if (frame->hd.type != NGHTTP2_HEADERS)
		return 0;
	block_end(block_of(c, session));
	if (session == c->h2->down && (frame->hd.flags & NGHTTP2_FLAG_END_HEADERS))
		c->since_ms = 0;
	return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data,
	size_t len, void *user)
{
	struct conn *c = user;
	const bool down = session == c->h2->down;
	struct h2_stream *s = nghttp2_session_get_stream_user_data(session, id);
	struct h2_pipe *p;

	(void)flags;
	if (!s || s->answered || (down && s->up_id <= 0)) { /* nobody reads the data */
		nghttp2_session_consume(session, id, len);
		return 0;
	}
	p = down ? &s->to_up : &s->to_down;
	if (h2_pipe_put(&c->h2->memory, p, data, len) < 0)
		return NGHTTP2_ERR_CALLBACK_FAILURE;
	h2_resume(down ? c->h2->up : c->h2->down, down ? s->up_id : s->down_id);
	return 0;
}

/* When a stream has ended on one side, ends it on the other side too. */
static int on_stream_close(nghttp2_session *session, int32_t id, uint32_t code, void *user)
{
	struct conn *c = user;
	struct h2_stream *s = nghttp2_session_get_stream_user_data(session, id);

	if (!s)
		return 0;
	if (session == c->h2->down) {
		if ((s->up_id > 0 || s->answered) && (code || !s->to_down.ended))
			h2_count_reset(c->h2);
		if (s->up_id > 0) {
			nghttp2_session_set_stream_user_data(c->h2->up, s->up_id, NULL);
			if (code != NGHTTP2_NO_ERROR || !s->to_down.ended || !s->to_up.ended)
				h2_reset(c->h2->up, s->up_id, code ? code : NGHTTP2_CANCEL);
		}
		stream_free(s);
		return 0;
	}
	s->up_id = 0;
	if (s->answered)
		return 0;
	if (code == NGHTTP2_NO_ERROR && s->headed && s->to_down.ended)
		return 0;
	if (!s->headed && code != NGHTTP2_REFUSED_STREAM)
		h2_answer(s, 502, "upstream", "the server has reset the stream");
	else
		h2_reset(c->h2->down, s->down_id, code ? code : NGHTTP2_INTERNAL_ERROR);
	return 0;
}

static int h2_session_open(struct conn *c, bool server, nghttp2_session **ret)
{
	const nghttp2_settings_entry settings[] = {
		{ NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, c->p->plan->limits.http2_streams },
		{ NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, H2_WINDOW },
		{ NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, c->p->plan->limits.head.head_bytes },
		{ NGHTTP2_SETTINGS_ENABLE_PUSH, 0 },
	};
	const size_t n = sizeof(settings) / sizeof(settings[0]) - (server ? 1 : 0);
	nghttp2_mem memory = h2_memory_of_session(&c->h2->memory);
	nghttp2_session_callbacks *cb = NULL;
	nghttp2_option *opt = NULL;
	int rc = -1;

	if (nghttp2_session_callbacks_new(&cb) == 0 && nghttp2_option_new(&opt) == 0) {
		nghttp2_session_callbacks_set_on_begin_frame_callback(cb, on_begin_frame);
		nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(cb, on_invalid_frame);
		nghttp2_session_callbacks_set_on_begin_headers_callback(cb, on_begin_headers);
		nghttp2_session_callbacks_set_on_header_callback(cb, on_header);
		nghttp2_session_callbacks_set_on_frame_recv_callback(cb, h2_on_frame);
		nghttp2_session_callbacks_set_on_data_chunk_recv_callback(cb, on_data);
		nghttp2_session_callbacks_set_on_stream_close_callback(cb, on_stream_close);
		nghttp2_option_set_no_auto_window_update(opt, 1);
		rc = server ? nghttp2_session_server_new3(ret, cb, c, opt, &memory)
			    : nghttp2_session_client_new3(ret, cb, c, opt, &memory);
	}
	nghttp2_session_callbacks_del(cb);
	nghttp2_option_del(opt);
	if (rc == 0)
		rc = nghttp2_submit_settings(*ret, NGHTTP2_FLAG_NONE, settings, n);
	if (rc == 0)
		rc = nghttp2_session_set_local_window_size(
			*ret, NGHTTP2_FLAG_NONE, 0, H2_CONN_WINDOW);
	return rc == 0 ? 0 : -1;
}

static int up_begin(struct conn *c)
{
	return c->h2->up ? 0 : h2_session_open(c, false, &c->h2->up);
}

static void h2_end(struct conn *c)
{
	struct h2 *h = c->h2;

	if (!h)
		return;
	while (h->streams) {
		nghttp2_session_set_stream_user_data(h->down, h->streams->down_id, NULL);
		if (h->up && h->streams->up_id > 0)
			nghttp2_session_set_stream_user_data(h->up, h->streams->up_id, NULL);
		stream_free(h->streams);
	}
	nghttp2_session_del(h->down);
	nghttp2_session_del(h->up);
	block_end(&h->from_down);
	block_end(&h->from_up);
	free(h);
	c->h2 = NULL;
}

void h2_begin(struct conn *c)
{
	c->stage = CONN_HTTP2;
	c->end = h2_end;
	c->h2 = calloc(1, sizeof(*c->h2));
	if (!c->h2) {
		conn_drop(c);
		return;
	}
	c->h2->memory.max = c->p->plan->limits.http2_bytes;
	c->since_ms = clock_now_ms();
	if (h2_session_open(c, true, &c->h2->down) < 0)
		conn_drop(c);
}

/* Returns why the connection has to be closed, or NULL. */
static const char *h2_take(struct conn *c, nghttp2_session *session, struct side *s)
{
	const size_t n = session ? side_has(&s->in) : 0;
	const char *why;
	ssize_t used;

	if (n == 0)
		return NULL;
	used = nghttp2_session_mem_recv(session, (const uint8_t *)side_data(&s->in), n);
	why = h2_why_over(c);
	if (why)
		return why;
	if (used < 0)
		return nghttp2_strerror((int)used);
	c->moved = true;
	side_take(s, (size_t)used);
	return NULL;
}

static bool h2_give(struct conn *c, nghttp2_session *session, struct side *s)
{
	const uint8_t *data;
	ssize_t n;

	while (!s->broken && side_accepts(s)) {
		n = nghttp2_session_mem_send(session, &data);
		if (n < 0)
			return false;
		if (n == 0)
			return true;
		side_write(s, data, (size_t)n);
		c->moved = true;
	}
	return true;
}

static void h2_stop(struct conn *c, const char *why)
{
	struct h2 *h = c->h2;

	judge_record(c->p, NULL, why);
	h->memory.max = SIZE_MAX; /* for GOAWAY */
	nghttp2_session_terminate_session(h->down, NGHTTP2_ENHANCE_YOUR_CALM);
	h2_give(c, h->down, &c->down);
	conn_finish(c);
}

static void end_server_side(struct conn *c)
{
	struct h2 *h = c->h2;

	if (h->ending == false || !h->down)
		return;
	/* Sends GOAWAY once. Streams that exist may finish. */
	nghttp2_submit_goaway(h->down, NGHTTP2_FLAG_NONE,
		nghttp2_session_get_last_proc_stream_id(h->down), NGHTTP2_NO_ERROR, NULL, 0);
	h->ending = false;
}

static bool h2_is_over(const struct conn *c)
{
	const struct h2 *h = c->h2;

	if (!nghttp2_session_want_read(h->down) && !nghttp2_session_want_write(h->down))
		return true;
	if (c->down.ended)
		return true;
	return h->up && c->up.fd >= 0 &&
	       (c->up.ended ||
		       (!nghttp2_session_want_read(h->up) && !nghttp2_session_want_write(h->up)));
}

void h2_run(struct conn *c)
{
	struct h2 *h = c->h2;
	const char *why;

	if (c->up_failure[0])
		for (struct h2_stream *s = h->streams; s; s = s->next)
			if (!s->answered && !s->headed)
				h2_answer(s, 502, "upstream", c->up_failure);
	why = h2_take(c, h->down, &c->down);
	if (!why)
		why = h2_take(c, h->up, &c->up);
	if (why) {
		h2_stop(c, why);
		return;
	}
	end_server_side(c);
	if (h->up && c->up.fd >= 0 && !h2_give(c, h->up, &c->up))
		c->up.broken = true;
	if (!h2_give(c, h->down, &c->down)) {
		conn_drop(c);
		return;
	}
	if (c->stage == CONN_HTTP2 && h2_is_over(c) && !c->moved) {
		nghttp2_session_terminate_session(h->down, NGHTTP2_NO_ERROR);
		h2_give(c, h->down, &c->down);
		conn_finish(c);
	}
}
