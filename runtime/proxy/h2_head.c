/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes heads of HTTP/2 field by field, from what was judged.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "runtime/proxy/h2.h"
#include "runtime/proxy/judge.h"

#define NV_MAX (HTTP_FIELDS_MAX + 8)

struct h2_fields {
	nghttp2_nv nv[NV_MAX];
	size_t n;
};

static void add_nv(
	struct h2_fields *f, const char *name, size_t name_len, const char *value, size_t value_len)
{
	if (f->n < NV_MAX)
		f->nv[f->n++] = (nghttp2_nv){ (uint8_t *)name, (uint8_t *)value, name_len,
			value_len, NGHTTP2_NV_FLAG_NONE };
}

static void add_nv_text(struct h2_fields *f, const char *name, const char *value, size_t n)
{
	add_nv(f, name, strlen(name), value, n);
}

static void add_nv_forwarded(
	struct h2_fields *f, const struct http_head *head, const struct http_attach *attach)
{
	for (size_t i = 0; i < head->n_fields; i++) {
		const struct http_field *field = &head->fields[i];

		if (http_forwards(field, attach))
			add_nv(f, field->name.s, field->name.n, field->value.s, field->value.n);
	}
}

static void add_nv_length(struct h2_fields *f, const struct http_head *head, char *buf, size_t size)
{
	if (head->length != HTTP_LENGTH_UNKNOWN)
		add_nv_text(f, "content-length", buf,
			(size_t)snprintf(buf, size, "%llu", (unsigned long long)head->length));
}

static bool wants_trailers(const struct http_head *head)
{
	for (size_t i = 0; i < head->n_fields; i++)
		if (head->fields[i].known == HTTP_TE)
			return true; /* the reader accepts no other value */
	return false;
}

/* Writes the name in lower case, as HTTP/2 requires. Returns 0, or -1: the credential cannot be
 * sent, and the request must not be sent without it. */
static int add_nv_credential(struct h2_fields *f, const struct http_head *head,
	const struct http_attach *attach, char *name, size_t name_size, char *value,
	size_t value_size)
{
	const char *own = "authorization";
	size_t n;

	if (!attach->auth || attach->auth->shape == HTTP_AUTH_QUERY)
		return 0;
	if (attach->auth->shape == HTTP_AUTH_HEADER)
		own = attach->auth->name;
	if (attach->auth->add_only && http_has_field(head, http_span_of(own)))
		return 0;
	n = http_write_credential(value, value_size, attach);
	if (n == 0)
		return -1;
	snprintf(name, name_size, "%s", own);
	for (char *p = name; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	add_nv_text(f, name, value, n);
	f->nv[f->n - 1].flags = NGHTTP2_NV_FLAG_NO_INDEX;
	return 0;
}

/* Memory for one head; the process has one thread, so it needs one. */
struct h2_texts {
	char target[3 * HTTP_PATH_MAX + HTTP_HEAD_MAX];
	char authority[HTTP_HOST_MAX + 16];
	char name[256];
	char value[HTTP_HEAD_MAX];
	char length[24];
};

int h2_forward_request(struct h2_stream *s, const struct http_attach *attach, bool ended)
{
	static struct h2_texts t;
	static struct h2_fields f;
	struct conn *c = s->c;
	const struct http_request *req = &c->p->request;
	const struct http_head *head = &c->h2->from_down.head;
	const nghttp2_data_provider body = { { .ptr = &s->to_up }, h2_pipe_read };
	size_t n = http_write_target(t.target, sizeof(t.target), req, attach);

	f.n = 0;
	if (n == 0)
		return NGHTTP2_ERR_INVALID_ARGUMENT;
	add_nv_text(&f, ":method", req->method, strlen(req->method));
	if (req->tls)
		add_nv_text(&f, ":scheme", "https", 5);
	else
		add_nv_text(&f, ":scheme", "http", 4);
	add_nv_text(&f, ":authority", t.authority,
		http_write_authority(t.authority, sizeof(t.authority), req));
	add_nv_text(&f, ":path", t.target, n);
	add_nv_forwarded(&f, head, attach);
	add_nv_length(&f, head, t.length, sizeof(t.length));
	if (wants_trailers(head))
		add_nv_text(&f, "te", "trailers", 8);
	c->up.secret |= attach->auth != NULL;
	s->up_id = NGHTTP2_ERR_INVALID_ARGUMENT;
	if (add_nv_credential(&f, head, attach, t.name, sizeof(t.name), t.value, sizeof(t.value)) ==
		0)
		s->up_id =
			nghttp2_submit_request(c->h2->up, NULL, f.nv, f.n, ended ? NULL : &body, s);
	if (attach->auth)
		explicit_bzero(&t, sizeof(t));
	return s->up_id < 0 ? s->up_id : 0;
}

int h2_forward_response(struct h2_stream *s, bool ended)
{
	static struct h2_fields f;
	struct h2 *h = s->c->h2;
	const struct http_head *head = &h->from_up.head;
	const nghttp2_data_provider body = { { .ptr = &s->to_down }, h2_pipe_read };
	char status[8], length[24];

	f.n = 0;
	add_nv_text(&f, ":status", status,
		(size_t)snprintf(status, sizeof(status), "%u", head->status));
	add_nv_forwarded(&f, head, NULL);
	add_nv_length(&f, head, length, sizeof(length));
	if (head->status < 200)
		return nghttp2_submit_headers(
			h->down, NGHTTP2_FLAG_NONE, s->down_id, NULL, f.nv, f.n, NULL);
	s->headed = true;
	return nghttp2_submit_response(h->down, s->down_id, f.nv, f.n, ended ? NULL : &body);
}

/* Copies the trailers, because they are sent only after the data before them. */
int h2_forward_trailers(struct h2_stream *s, const struct http_head *head, struct h2_pipe *p)
{
	struct h2_memory *m = &s->c->h2->memory;
	size_t texts = 0, n = 0;
	nghttp2_nv *nv;
	char *at;

	for (size_t i = 0; i < head->n_fields; i++)
		texts += head->fields[i].name.n + head->fields[i].value.n;
	nv = h2_memory_resize(m, NULL, head->n_fields * sizeof(*nv) + texts + 1);
	if (!nv)
		return NGHTTP2_ERR_NOMEM;
	at = (char *)(nv + head->n_fields);
	for (size_t i = 0; i < head->n_fields; i++) {
		const struct http_field *f = &head->fields[i];

		if (!http_forwards(f, NULL))
			continue;
		memcpy(at, f->name.s, f->name.n);
		memcpy(at + f->name.n, f->value.s, f->value.n);
		nv[n++] = (nghttp2_nv){ (uint8_t *)at, (uint8_t *)at + f->name.n, f->name.n,
			f->value.n, NGHTTP2_NV_FLAG_NONE };
		at += f->name.n + f->value.n;
	}
	h2_memory_free(m, p->nv);
	p->nv = nv;
	p->n_nv = n;
	p->trailers = n > 0;
	p->ended = true;
	return 0;
}

int h2_answer(struct h2_stream *s, unsigned int status, const char *class, const char *text)
{
	const nghttp2_data_provider body = { { .ptr = &s->to_down }, h2_pipe_read };
	char number[8], length[24], content[512];
	struct h2_fields f = { .n = 0 };
	const int n = snprintf(content, sizeof(content), "%.300s (%.100s)\n", text, class);

	add_nv_text(&f, ":status", number, (size_t)snprintf(number, sizeof(number), "%u", status));
	add_nv_text(&f, "content-type", "text/plain; charset=utf-8", 25);
	add_nv_text(&f, "sandlock-refused", class, strlen(class));
	add_nv_text(
		&f, "content-length", length, (size_t)snprintf(length, sizeof(length), "%d", n));
	s->answered = s->headed = true;
	s->to_down.ended = true;
	if (h2_pipe_put(&s->c->h2->memory, &s->to_down, content, (size_t)n) < 0)
		return NGHTTP2_ERR_NOMEM;
	return nghttp2_submit_response(s->c->h2->down, s->down_id, f.nv, f.n, &body);
}

void h2_refuse(struct h2_stream *s, const struct http_request *req, enum http_fault f)
{
	judge_record(s->c->p, req, http_fault_word(f));
	h2_answer(s, http_fault_status(f), http_fault_word(f), http_fault_text(f));
}
