/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/http/write.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/http/words.h"

/* A buffer for writing. After an overflow nothing is added any more, and the result is 0. */
struct text {
	char *s;
	size_t size;
	size_t n;
	bool full;
};

static void add(struct text *t, const char *s, size_t n)
{
	if (t->full || n > t->size - t->n) {
		t->full = true;
		return;
	}
	if (n > 0)
		memcpy(t->s + t->n, s, n);
	t->n += n;
}

static void add_text(struct text *t, const char *s)
{
	add(t, s, strlen(s));
}

static void add_span(struct text *t, struct http_span s)
{
	add(t, s.s, s.n);
}

static void add_decimal(struct text *t, uint64_t v)
{
	char digits[24];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + v % 10);
	while ((v /= 10) > 0);
	add(t, digits + at, sizeof(digits) - at);
}

static void add_field(struct text *t, struct http_span name, struct http_span value)
{
	add_span(t, name);
	add(t, ": ", 2);
	add_span(t, value);
	add(t, "\r\n", 2);
}

static size_t finish(const struct text *t)
{
	return t->full ? 0 : t->n;
}

static const char *reason_of(unsigned int status)
{
	static const struct {
		unsigned int status;
		const char *text;
	} reasons[] = {
		{ 100, "Continue" },
		{ 101, "Switching Protocols" },
		{ 103, "Early Hints" },
		{ 200, "OK" },
		{ 201, "Created" },
		{ 202, "Accepted" },
		{ 204, "No Content" },
		{ 206, "Partial Content" },
		{ 301, "Moved Permanently" },
		{ 302, "Found" },
		{ 303, "See Other" },
		{ 304, "Not Modified" },
		{ 307, "Temporary Redirect" },
		{ 308, "Permanent Redirect" },
		{ 400, "Bad Request" },
		{ 401, "Unauthorized" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 405, "Method Not Allowed" },
		{ 408, "Request Timeout" },
		{ 409, "Conflict" },
		{ 414, "URI Too Long" },
		{ 417, "Expectation Failed" },
		{ 421, "Misdirected Request" },
		{ 422, "Unprocessable Content" },
		{ 429, "Too Many Requests" },
		{ 431, "Request Header Fields Too Large" },
		{ 500, "Internal Server Error" },
		{ 501, "Not Implemented" },
		{ 502, "Bad Gateway" },
		{ 503, "Service Unavailable" },
		{ 504, "Gateway Timeout" },
		{ 505, "HTTP Version Not Supported" },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].status == status)
			return reasons[i].text;
	return "";
}

/* The name of the header that carries a credential; empty when it goes into the query or there is
 * none. */
static struct http_span header_of(const struct http_attach *attach)
{
	if (!attach || !attach->auth)
		return (struct http_span){ NULL, 0 };
	switch (attach->auth->shape) {
	case HTTP_AUTH_BEARER:
	case HTTP_AUTH_BASIC: return http_span_of("Authorization");
	case HTTP_AUTH_HEADER: return http_span_of(attach->auth->name);
	case HTTP_AUTH_QUERY: break;
	}
	return (struct http_span){ NULL, 0 };
}

/* Compares names as CGI gateways do: without case, and "_" equals "-". */
static bool same_name(struct http_span a, struct http_span b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++) {
		const char x = a.s[i] == '_' ? '-' : http_lower(a.s[i]);
		const char y = b.s[i] == '_' ? '-' : http_lower(b.s[i]);

		if (x != y)
			return false;
	}
	return true;
}

bool http_forwards(const struct http_field *f, const struct http_attach *attach)
{
	struct http_span header = header_of(attach);

	if (f->hop || f->known == HTTP_HOST || f->known == HTTP_CONTENT_LENGTH ||
		f->known == HTTP_TRANSFER_ENCODING)
		return false;
	return header.n == 0 || attach->auth->add_only || !same_name(f->name, header);
}

bool http_has_field(const struct http_head *head, struct http_span name)
{
	for (size_t i = 0; i < head->n_fields; i++)
		if (!head->fields[i].hop && same_name(head->fields[i].name, name))
			return true;
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool http_may_send(struct http_span credential)
{
	const size_t n = credential.n;

	if (n > 0 && (is_blank(credential.s[0]) || is_blank(credential.s[n - 1])))
		return false;
	return http_span_all(credential, HTTP_C_VALUE);
}

size_t http_write_credential(char *buf, size_t size, const struct http_attach *attach)
{
	struct text t = { buf, size, 0, false };

	if (attach->value.n == 0 || !http_may_send(attach->value))
		return 0;
	if (attach->auth->shape == HTTP_AUTH_BEARER)
		add_text(&t, "Bearer ");
	else if (attach->auth->shape == HTTP_AUTH_BASIC)
		add_text(&t, "Basic ");
	add_span(&t, attach->value);
	return finish(&t);
}

/* Whether the text begins with the value, some of whose bytes are escaped. */
static bool begins_escaped(struct http_span text, struct http_span value)
{
	size_t at = 0;

	for (size_t i = 0; i < value.n; i++) {
		char c;

		if (at == text.n)
			return false;
		c = text.s[at++];
		if (c == '+' && value.s[i] == ' ') {
			c = ' ';
		} else if (c == '%' && text.n - at >= 2 && http_is(text.s[at], HTTP_C_HEX) &&
			   http_is(text.s[at + 1], HTTP_C_HEX)) {
			c = (char)(http_hex(text.s[at]) << 4 | http_hex(text.s[at + 1]));
			at += 2;
		}
		if (c != value.s[i])
			return false;
	}
	return true;
}

bool http_repeats(struct http_span text, struct http_span value)
{
	if (value.n == 0 || text.n < value.n)
		return false;
	if (memmem(text.s, text.n, value.s, value.n))
		return true;
	if (!memchr(text.s, '%', text.n) && !memchr(text.s, '+', text.n))
		return false;
	for (size_t i = 0; text.n - i >= value.n; i++)
		if (begins_escaped((struct http_span){ text.s + i, text.n - i }, value))
			return true;
	return false;
}

static void add_credential(
	struct text *t, const struct http_head *head, const struct http_attach *attach)
{
	struct http_span name = header_of(attach);
	size_t n;

	if (name.n == 0 || (attach->auth->add_only && http_has_field(head, name)))
		return;
	add_span(t, name);
	add(t, ": ", 2);
	n = t->full ? 0 : http_write_credential(t->s + t->n, t->size - t->n, attach);
	t->full |= n == 0;
	t->n += n;
	add(t, "\r\n", 2);
}

/* Compares the decoded name of a parameter with the text. */
static bool is_parameter(struct http_span p, const char *name)
{
	size_t i = 0;

	for (; i < p.n && p.s[i] != '='; name++) {
		char c = p.s[i++];

		if (c == '+') {
			c = ' ';
		} else if (c == '%' && p.n - i >= 2) {
			c = (char)(http_hex(p.s[i]) << 4 | http_hex(p.s[i + 1]));
			i += 2;
		}
		if (*name == '\0' || c != *name)
			return false;
	}
	return *name == '\0';
}

static void add_escaped(struct text *t, struct http_span s)
{
	static const char hex[] = "0123456789ABCDEF";

	for (size_t i = 0; i < s.n; i++) {
		const unsigned char c = (unsigned char)s.s[i];
		const char e[3] = { '%', hex[c >> 4], hex[c & 15] };

		if (http_is(s.s[i], HTTP_C_UNRESERVED))
			add(t, &s.s[i], 1);
		else
			add(t, e, 3);
	}
}

/* Writes the query without parameters of the credential's name. */
static void add_query(
	struct text *t, const struct http_request *req, const struct http_attach *attach)
{
	struct http_span q = req->query;
	bool there = false;
	char mark = '?';

	for (size_t at = 0; at <= q.n && q.n > 0;) {
		const char *amp = memchr(q.s + at, '&', q.n - at);
		struct http_span p = { q.s + at, (amp ? (size_t)(amp - q.s) : q.n) - at };
		const bool same = is_parameter(p, attach->auth->name);

		there |= same;
		if (!same || attach->auth->add_only) {
			add(t, &mark, 1);
			add_span(t, p);
			mark = '&';
		}
		at += p.n + 1;
	}
	if (there && attach->auth->add_only)
		return;
	t->full |= attach->value.n == 0;
	add(t, &mark, 1);
	add_escaped(t, http_span_of(attach->auth->name));
	add(t, "=", 1);
	add_escaped(t, attach->value);
}

static void add_target(
	struct text *t, const struct http_request *req, const struct http_attach *attach)
{
	add(t, req->path, req->path_len);
	if (attach && attach->auth && attach->auth->shape == HTTP_AUTH_QUERY && !req->asterisk) {
		add_query(t, req, attach);
	} else if (req->has_query) {
		add(t, "?", 1);
		add_span(t, req->query);
	}
}

size_t http_write_target(
	char *buf, size_t size, const struct http_request *req, const struct http_attach *attach)
{
	struct text t = { buf, size, 0, false };

	add_target(&t, req, attach);
	return finish(&t);
}

static void add_authority(struct text *t, const struct http_request *req)
{
	const bool v6 = req->host.is_addr && req->host.v6;

	add(t, "[", v6);
	add_text(t, req->host.text);
	add(t, "]", v6);
	if (!req->default_port) {
		add(t, ":", 1);
		add_decimal(t, req->port);
	}
}

size_t http_write_authority(char *buf, size_t size, const struct http_request *req)
{
	struct text t = { buf, size, 0, false };

	add_authority(&t, req);
	return finish(&t);
}

/* HTTP/2 may split Cookie; HTTP/1 has it once (RFC 9113 section 8.2.3). */
static void add_cookies(struct text *t, const struct http_head *head)
{
	const char *before = "Cookie: ";

	for (size_t i = 0; i < head->n_fields; i++) {
		if (!http_span_is_nocase(head->fields[i].name, "cookie"))
			continue;
		add_text(t, before);
		add_span(t, head->fields[i].value);
		before = "; ";
	}
	if (before[0] == ';')
		add(t, "\r\n", 2);
}

static void add_fields(
	struct text *t, const struct http_head *head, const struct http_attach *attach)
{
	const bool join = head->version == HTTP_2 && head->status == 0 &&
			  !same_name(header_of(attach), http_span_of("Cookie"));

	for (size_t i = 0; i < head->n_fields; i++) {
		const struct http_field *f = &head->fields[i];

		if (http_forwards(f, attach) && !(join && http_span_is_nocase(f->name, "cookie")))
			add_field(t, f->name, f->value);
	}
	if (join)
		add_cookies(t, head);
}

static void add_framing(struct text *t, enum http_framing framing, uint64_t length)
{
	const bool known = length != HTTP_LENGTH_UNKNOWN;

	if (framing == HTTP_BODY_CHUNKED || (framing == HTTP_BODY_STREAM && !known)) {
		add_text(t, "Transfer-Encoding: chunked\r\n");
	} else if (framing != HTTP_BODY_UNTIL_CLOSE && known) {
		add_text(t, "Content-Length: ");
		add_decimal(t, length);
		add(t, "\r\n", 2);
	}
}

size_t http_write_request(char *buf, size_t size, const struct http_head *head,
	const struct http_request *req, const struct http_attach *attach)
{
	struct text t = { buf, size, 0, false };

	add_text(&t, req->method);
	add(&t, " ", 1);
	add_target(&t, req, attach);
	add_text(&t, " HTTP/1.1\r\nHost: ");
	add_authority(&t, req);
	add(&t, "\r\n", 2);
	add_fields(&t, head, attach);
	add_credential(&t, head, attach);
	add_framing(&t, head->framing, head->length);
	if (head->websocket)
		add_text(&t, "Connection: Upgrade\r\nUpgrade: websocket\r\n");
	add(&t, "\r\n", 2);
	return finish(&t);
}

static void add_status(struct text *t, unsigned int status, struct http_span reason)
{
	add_text(t, "HTTP/1.1 ");
	add_decimal(t, status);
	add(t, " ", 1);
	if (reason.n > 0)
		add_span(t, reason);
	else
		add_text(t, reason_of(status));
	add(t, "\r\n", 2);
}

size_t http_write_response(
	char *buf, size_t size, const struct http_head *head, enum http_framing framing, bool close)
{
	struct text t = { buf, size, 0, false };

	add_status(&t, head->status, head->reason);
	add_fields(&t, head, NULL);
	add_framing(&t, framing, head->length);
	if (head->websocket)
		add_text(&t, "Connection: Upgrade\r\nUpgrade: websocket\r\n");
	else if (close)
		add_text(&t, "Connection: close\r\n");
	add(&t, "\r\n", 2);
	return finish(&t);
}

size_t http_write_answer(char *buf, size_t size, unsigned int status, const char *extra,
	const char *text, bool head_request, bool close)
{
	struct text t = { buf, size, 0, false };

	add_status(&t, status, (struct http_span){ NULL, 0 });
	add_text(&t, "Content-Type: text/plain\r\nContent-Length: ");
	add_decimal(&t, strlen(text));
	add(&t, "\r\n", 2);
	add_text(&t, extra);
	if (close)
		add_text(&t, "Connection: close\r\n");
	add(&t, "\r\n", 2);
	if (!head_request)
		add_text(&t, text);
	return finish(&t);
}

size_t http_write_chunk(char *buf, size_t size, uint64_t n)
{
	char line[20];
	int len = snprintf(line, sizeof(line), "%" PRIx64 "\r\n", n);
	struct text t = { buf, size, 0, false };

	add(&t, line, (size_t)len);
	return finish(&t);
}

size_t http_write_last_chunk(char *buf, size_t size, const struct http_head *trailers)
{
	struct text t = { buf, size, 0, false };

	add_text(&t, "0\r\n");
	for (size_t i = 0; trailers && i < trailers->n_fields; i++)
		if (!trailers->fields[i].hop)
			add_field(&t, trailers->fields[i].name, trailers->fields[i].value);
	add(&t, "\r\n", 2);
	return finish(&t);
}
