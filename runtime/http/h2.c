/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes a head of the fields of HTTP/2. nghttp2 checks much of this as well, but a verdict must not
 * depend on how that library is configured.
 */
#include <string.h>

#include "runtime/http/head.h"
#include "runtime/http/reader.h"
#include "runtime/http/words.h"

static void begin(struct http_h2_fields *f, struct http_head *head, struct http_store *store,
	const struct http_limits *limits)
{
	*f = (struct http_h2_fields){ .store = store, .limits = limits };
	memset(head, 0, offsetof(struct http_head, fields));
	head->version = HTTP_2;
	head->length = HTTP_LENGTH_UNKNOWN;
}

void http_h2_begin(struct http_h2_fields *f, struct http_head *head, struct http_store *store,
	const struct http_limits *limits, bool response)
{
	begin(f, head, store, limits);
	f->response = response;
}

void http_h2_begin_trailers(struct http_h2_fields *f, struct http_head *head,
	struct http_store *store, const struct http_limits *limits)
{
	begin(f, head, store, limits);
	f->trailers = true;
	f->regular = true;
}

static enum http_fault keep_text(struct http_store *store, struct http_span *s)
{
	char *to = store->buf + store->used;

	if (s->n > store->size - store->used)
		return HTTP_FAULT_HEAD_SIZE;
	if (s->n > 0)
		memcpy(to, s->s, s->n);
	store->used += s->n;
	s->s = to;
	return HTTP_NO_FAULT;
}

static enum http_fault read_status(struct http_head *h, struct http_span v)
{
	if (v.n != 3 || !http_span_all(v, HTTP_C_DIGIT) || v.s[0] < '1' || v.s[0] > '5')
		return HTTP_FAULT_STATUS_LINE;
	for (size_t i = 0; i < 3; i++)
		h->status = (uint16_t)(h->status * 10 + (v.s[i] - '0'));
	return HTTP_NO_FAULT;
}

static enum http_fault pseudo(struct http_h2_fields *f, struct http_head *h, struct http_span name,
	struct http_span value)
{
	struct http_span *to = NULL;

	if (f->regular || (f->response && !http_span_is(name, ":status")))
		return HTTP_FAULT_PSEUDO;
	if (f->response)
		return h->status ? HTTP_FAULT_PSEUDO : read_status(h, value);
	if (http_span_is(name, ":method"))
		to = &h->method;
	else if (http_span_is(name, ":scheme"))
		to = &h->scheme;
	else if (http_span_is(name, ":authority"))
		to = &h->authority;
	else if (http_span_is(name, ":path"))
		to = &h->target;
	if (!to || to->s || value.n == 0)
		return HTTP_FAULT_PSEUDO;
	for (size_t i = 0; i < value.n; i++)
		if (value.s[i] <= ' ' || value.s[i] >= 0x7f)
			return HTTP_FAULT_PSEUDO;
	*to = value;
	return HTTP_NO_FAULT;
}

/* RFC 9113 section 8.2.2. */
static enum http_fault only_http1(const struct http_field *field)
{
	if (field->known == HTTP_CONNECTION || field->known == HTTP_UPGRADE ||
		field->known == HTTP_TRANSFER_ENCODING || http_span_is(field->name, "keep-alive") ||
		http_span_is(field->name, "proxy-connection"))
		return HTTP_FAULT_CONNECTION_FIELD;
	if (field->known == HTTP_TE && !http_span_is_nocase(field->value, "trailers"))
		return HTTP_FAULT_CONNECTION_FIELD;
	return HTTP_NO_FAULT;
}

static enum http_fault regular(struct http_h2_fields *f, struct http_head *h, struct http_span name,
	struct http_span value)
{
	const struct http_field *field = &h->fields[h->n_fields];
	enum http_fault fault;

	f->regular = true;
	if (name.n == 0 || !http_span_all(name, HTTP_C_TOKEN))
		return HTTP_FAULT_FIELD_NAME;
	for (size_t i = 0; i < name.n; i++)
		if (http_lower(name.s[i]) != name.s[i])
			return HTTP_FAULT_UPPER_CASE;
	if (!http_span_all(value, HTTP_C_VALUE) || http_span_trim(value).n != value.n)
		return HTTP_FAULT_FIELD_VALUE;
	fault = http_head_add(h, f->limits->fields, name, value, !f->response);
	if (fault == HTTP_NO_FAULT)
		fault = only_http1(field);
	if (fault == HTTP_NO_FAULT && f->trailers && !http_head_may_trail(field))
		fault = HTTP_FAULT_TRAILER;
	return fault;
}

enum http_fault http_h2_field(struct http_h2_fields *f, struct http_head *head,
	struct http_span name, struct http_span value)
{
	enum http_fault fault = keep_text(f->store, &name);

	if (fault == HTTP_NO_FAULT)
		fault = keep_text(f->store, &value);
	if (fault != HTTP_NO_FAULT)
		return fault;
	if (name.n > 0 && name.s[0] == ':')
		return pseudo(f, head, name, value);
	return regular(f, head, name, value);
}

enum http_fault http_h2_end(struct http_h2_fields *f, struct http_head *head, bool end_stream)
{
	enum http_fault fault;

	if (f->trailers)
		return end_stream ? HTTP_NO_FAULT : HTTP_FAULT_PSEUDO;
	if (f->response ? head->status == 0 : !head->method.s)
		return HTTP_FAULT_PSEUDO;
	if (!f->response &&
		(head->method.n > HTTP_METHOD_MAX || !http_span_all(head->method, HTTP_C_TOKEN)))
		return HTTP_FAULT_METHOD;
	/* RFC 9113 section 8.5: CONNECT has neither scheme nor path. */
	if (!f->response && !http_span_is(head->method, "CONNECT") &&
		(!head->scheme.s || !head->target.s))
		return HTTP_FAULT_PSEUDO;
	fault = http_head_length(head, &head->length);
	if (fault == HTTP_NO_FAULT && !f->response)
		fault = http_head_expect(head);
	if (fault != HTTP_NO_FAULT)
		return fault;
	if (!f->response && end_stream && head->length != HTTP_LENGTH_UNKNOWN && head->length > 0)
		return HTTP_FAULT_LENGTH;
	head->framing = end_stream ? HTTP_BODY_NONE : HTTP_BODY_STREAM;
	head->keep_alive = true;
	return HTTP_NO_FAULT;
}
