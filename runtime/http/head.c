/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/http/head.h"

#include <string.h>

#include "runtime/http/rules.h"
#include "runtime/http/words.h"

static const struct known {
	const char *name;
	uint8_t len;
	uint8_t known;
} names[] = {
#define NAME(text, known)                                                                          \
	{                                                                                          \
		text, sizeof(text) - 1, known                                                      \
	}
	NAME("host", HTTP_HOST),
	NAME("content-length", HTTP_CONTENT_LENGTH),
	NAME("transfer-encoding", HTTP_TRANSFER_ENCODING),
	NAME("connection", HTTP_CONNECTION),
	NAME("upgrade", HTTP_UPGRADE),
	NAME("expect", HTTP_EXPECT),
	NAME("te", HTTP_TE),
	NAME("trailer", HTTP_TRAILER),
	NAME("keep-alive", HTTP_HOP_BY_HOP),
	NAME("http2-settings", HTTP_HOP_BY_HOP),
	NAME("proxy-connection", HTTP_HOP_BY_HOP),
	NAME("proxy-authenticate", HTTP_HOP_BY_HOP),
	NAME("proxy-authentication-info", HTTP_HOP_BY_HOP),
	NAME("proxy-authorization", HTTP_HOP_BY_HOP),
	/* Fields that some frameworks use in place of the request's method, path or host. */
	NAME("x-http-method", HTTP_REFUSED),
	NAME("x-http-method-override", HTTP_REFUSED),
	NAME("x-method-override", HTTP_REFUSED),
	NAME("x-original-url", HTTP_REFUSED),
	NAME("x-rewrite-url", HTTP_REFUSED),
	NAME("x-original-uri", HTTP_REFUSED),
	NAME("x-original-host", HTTP_REFUSED),
	NAME("x-original-method", HTTP_REFUSED),
	NAME("x-forwarded-host", HTTP_REFUSED),
	NAME("x-forwarded-uri", HTTP_REFUSED),
	NAME("x-forwarded-method", HTTP_REFUSED),
	NAME("forwarded", HTTP_FORWARDED),
#undef NAME
};

/* CGI gateways make the same variable of "a-b" and "a_b", so a name with "_" is compared as if it
 * had "-". */
static enum http_known known_of(struct http_span name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		bool disguised = false;
		size_t k = 0;

		if (names[i].len != name.n)
			continue;
		for (; k < name.n; k++) {
			const char c = http_lower(name.s[k]), want = names[i].name[k];

			if (c == '_' && want == '-')
				disguised = true;
			else if (c != want)
				break;
		}
		if (k == name.n)
			return disguised ? HTTP_REFUSED : (enum http_known)names[i].known;
	}
	return HTTP_OTHER;
}

bool http_may_attach(struct http_span name)
{
	return name.n > 0 && http_span_all(name, HTTP_C_TOKEN) && known_of(name) == HTTP_OTHER;
}

static bool is_hop(enum http_known k)
{
	return k == HTTP_CONNECTION || k == HTTP_UPGRADE || k == HTTP_TE || k == HTTP_HOP_BY_HOP;
}

/* Whether Forwarded (RFC 7239) gives a host, wherever it stands. */
static bool gives_host(struct http_span v)
{
	for (size_t i = 0; i + 4 < v.n; i++) {
		size_t end = i + 4;

		if (!http_span_is_nocase((struct http_span){ v.s + i, 4 }, "host"))
			continue;
		while (end < v.n && (v.s[end] == ' ' || v.s[end] == '\t'))
			end++;
		if (end < v.n && v.s[end] == '=')
			return true;
	}
	return false;
}

enum http_fault http_head_add(struct http_head *h, uint32_t max_fields, struct http_span name,
	struct http_span value, bool request)
{
	enum http_known known = known_of(name);

	if (h->n_fields >= max_fields || h->n_fields >= HTTP_FIELDS_MAX)
		return HTTP_FAULT_HEAD_FIELDS;
	if (request && (known == HTTP_REFUSED || (known == HTTP_FORWARDED && gives_host(value))))
		return HTTP_FAULT_OVERRIDE;
	h->fields[h->n_fields++] = (struct http_field){ name, value, known, is_hop(known) };
	return HTTP_NO_FAULT;
}

/* Reads one field line, given without its line end. */
static enum http_fault parse_field(
	struct http_head *h, uint32_t max_fields, const char *s, size_t n, bool request)
{
	size_t colon = 0;
	struct http_span value;

	if (s[0] == ' ' || s[0] == '\t')
		return HTTP_FAULT_FOLDED;
	while (colon < n && http_is(s[colon], HTTP_C_TOKEN))
		colon++;
	if (colon == 0 || colon == n || s[colon] != ':')
		return HTTP_FAULT_FIELD_NAME;
	value = (struct http_span){ s + colon + 1, n - colon - 1 };
	if (!http_span_all(value, HTTP_C_VALUE))
		return HTTP_FAULT_FIELD_VALUE;
	return http_head_add(
		h, max_fields, (struct http_span){ s, colon }, http_span_trim(value), request);
}

/* Reads the field lines up to the empty line. Every line must end with CR LF. */
static enum http_fault parse_fields(
	struct http_head *h, uint32_t max_fields, const char *s, const char *end, bool request)
{
	enum http_fault f = HTTP_NO_FAULT;

	while (f == HTTP_NO_FAULT) {
		const char *lf = memchr(s, '\n', (size_t)(end - s));

		if (!lf || lf == s || lf[-1] != '\r')
			return HTTP_FAULT_LINE_END;
		if (lf == s + 1)
			break;
		f = parse_field(h, max_fields, s, (size_t)(lf - s) - 1, request);
		s = lf + 1;
	}
	return f;
}

/* Digits only, without leading zeros, because some programs read these as octal. */
static enum http_fault parse_length(struct http_span s, uint64_t *ret)
{
	uint64_t v = 0;

	if (s.n == 0 || s.n > 18 || !http_span_all(s, HTTP_C_DIGIT) || (s.n > 1 && s.s[0] == '0'))
		return HTTP_FAULT_LENGTH;
	for (size_t i = 0; i < s.n; i++)
		v = v * 10 + (uint64_t)(s.s[i] - '0');
	*ret = v;
	return HTTP_NO_FAULT;
}

enum http_fault http_head_length(const struct http_head *h, uint64_t *ret)
{
	enum http_fault f = HTTP_NO_FAULT;
	bool seen = false;

	*ret = HTTP_LENGTH_UNKNOWN;
	for (size_t i = 0; i < h->n_fields && f == HTTP_NO_FAULT; i++) {
		if (h->fields[i].known != HTTP_CONTENT_LENGTH)
			continue;
		f = seen ? HTTP_FAULT_TWO_LENGTHS : parse_length(h->fields[i].value, ret);
		seen = true;
	}
	return f;
}

static enum http_fault parse_coding(struct http_span value)
{
	struct http_span list = value, item, last = { NULL, 0 };
	size_t chunked = 0;

	if (http_span_is_nocase(value, "chunked"))
		return HTTP_NO_FAULT;
	while (http_list_next(&list, &item)) {
		chunked += http_span_is_nocase(item, "chunked");
		last = item;
	}
	return chunked == 1 && http_span_is_nocase(last, "chunked") ? HTTP_FAULT_CODING
								    : HTTP_FAULT_CODING_LAST;
}

static enum http_fault transfer_coding(const struct http_head *h, bool *ret_chunked)
{
	enum http_fault f = HTTP_NO_FAULT;

	*ret_chunked = false;
	for (size_t i = 0; i < h->n_fields && f == HTTP_NO_FAULT; i++) {
		if (h->fields[i].known != HTTP_TRANSFER_ENCODING)
			continue;
		f = *ret_chunked ? HTTP_FAULT_CODING_LAST : parse_coding(h->fields[i].value);
		*ret_chunked = true;
	}
	return f;
}

/* The framing that the fields ask for, before status and method are considered. */
static enum http_fault read_framing(struct http_head *h)
{
	bool chunked;
	enum http_fault f = transfer_coding(h, &chunked), g = http_head_length(h, &h->length);

	if (f != HTTP_NO_FAULT || g != HTTP_NO_FAULT)
		return f != HTTP_NO_FAULT ? f : g;
	if (chunked && h->length != HTTP_LENGTH_UNKNOWN)
		return HTTP_FAULT_LENGTH_AND_CODING;
	if (chunked && h->version == HTTP_1_0)
		return HTTP_FAULT_CODING_VERSION;
	h->framing = chunked                            ? HTTP_BODY_CHUNKED
		     : h->length != HTTP_LENGTH_UNKNOWN ? HTTP_BODY_LENGTH
							: HTTP_BODY_NONE;
	return HTTP_NO_FAULT;
}

/* Connection names this field, so it is hop-by-hop and is not forwarded. */
static enum http_fault nominate(struct http_head *h, struct http_span name)
{
	for (size_t i = 0; i < h->n_fields; i++) {
		struct http_field *f = &h->fields[i];

		if (f->name.n != name.n || strncasecmp(f->name.s, name.s, name.n) != 0)
			continue;
		if (f->known == HTTP_HOST || f->known == HTTP_CONTENT_LENGTH ||
			f->known == HTTP_TRANSFER_ENCODING)
			return HTTP_FAULT_CONNECTION;
		f->hop = true;
	}
	return HTTP_NO_FAULT;
}

struct options {
	bool close;
	bool upgrade;
};

static enum http_fault read_options(struct http_head *h, struct http_span list, struct options *o)
{
	struct http_span item;
	enum http_fault f = HTTP_NO_FAULT;

	while (f == HTTP_NO_FAULT && http_list_next(&list, &item)) {
		if (!http_span_all(item, HTTP_C_TOKEN))
			return HTTP_FAULT_CONNECTION;
		o->close |= http_span_is_nocase(item, "close");
		o->upgrade |= http_span_is_nocase(item, "upgrade");
		f = nominate(h, item);
	}
	return f;
}

/* RFC 9112 section 9.3: a proxy does not keep connections with HTTP/1.0 open. */
static enum http_fault read_connection(struct http_head *h, struct options *ret)
{
	enum http_fault f = HTTP_NO_FAULT;

	*ret = (struct options){ 0 };
	for (size_t i = 0; i < h->n_fields && f == HTTP_NO_FAULT; i++)
		if (h->fields[i].known == HTTP_CONNECTION)
			f = read_options(h, h->fields[i].value, ret);
	h->keep_alive = h->version == HTTP_1_1 && !ret->close;
	return f;
}

static bool upgrades_to_websocket(const struct http_head *h)
{
	size_t n = 0;
	bool good = true;

	for (size_t i = 0; i < h->n_fields; i++) {
		if (h->fields[i].known != HTTP_UPGRADE)
			continue;
		good &= http_span_is_nocase(h->fields[i].value, "websocket");
		n++;
	}
	return n == 1 && good;
}

enum http_fault http_head_expect(struct http_head *h)
{
	for (size_t i = 0; i < h->n_fields; i++) {
		if (h->fields[i].known != HTTP_EXPECT)
			continue;
		if (!http_span_is_nocase(h->fields[i].value, "100-continue"))
			return HTTP_FAULT_EXPECT;
		/* RFC 9110 section 10.1.1: Expect of an HTTP/1.0 client is ignored. */
		h->expect_continue = h->version != HTTP_1_0;
	}
	return HTTP_NO_FAULT;
}

/* Reads "HTTP/1.0" or "HTTP/1.1". */
static enum http_fault parse_version(
	const char *s, enum http_fault malformed, enum http_version *ret)
{
	if (memcmp(s, "HTTP/", 5) != 0 || !http_is(s[5], HTTP_C_DIGIT) || s[6] != '.' ||
		!http_is(s[7], HTTP_C_DIGIT))
		return malformed;
	if (s[5] != '1' || (s[7] != '0' && s[7] != '1'))
		return HTTP_FAULT_VERSION;
	*ret = s[7] == '1' ? HTTP_1_1 : HTTP_1_0;
	return HTTP_NO_FAULT;
}

#define VERSION_LEN 8

/* Reads "METHOD TARGET HTTP/1.1", given without its line end. */
static enum http_fault parse_request_line(struct http_head *h, const char *s, size_t n)
{
	size_t method = 0, rest;

	while (method < n && http_is(s[method], HTTP_C_TOKEN))
		method++;
	if (method == n || s[method] != ' ')
		return HTTP_FAULT_REQUEST_LINE;
	if (method == 0 || method > HTTP_METHOD_MAX)
		return HTTP_FAULT_METHOD;
	rest = n - method - 1;
	if (rest < VERSION_LEN + 2 || s[n - VERSION_LEN - 1] != ' ')
		return HTTP_FAULT_REQUEST_LINE;
	h->method = (struct http_span){ s, method };
	h->target = (struct http_span){ s + method + 1, rest - VERSION_LEN - 1 };
	for (size_t i = 0; i < h->target.n; i++)
		if (h->target.s[i] <= ' ' || h->target.s[i] >= 0x7f)
			return h->target.s[i] == ' ' ? HTTP_FAULT_REQUEST_LINE
						     : HTTP_FAULT_PATH_CHARACTER;
	return parse_version(s + n - VERSION_LEN, HTTP_FAULT_REQUEST_LINE, &h->version);
}

/* Gives the first line without its end, and the place where the second begins. */
static struct http_span first_line(const char *buf, size_t n, const char **ret_rest)
{
	const char *lf = memchr(buf, '\n', n);

	if (!lf || lf == buf || lf[-1] != '\r')
		return (struct http_span){ NULL, 0 };
	*ret_rest = lf + 1;
	return (struct http_span){ buf, (size_t)(lf - buf) - 1 };
}

static void clear(struct http_head *h)
{
	/* The array of fields is not cleared, because n_fields says how many are valid. */
	memset(h, 0, offsetof(struct http_head, fields));
	h->length = HTTP_LENGTH_UNKNOWN;
}

enum http_fault http_head_request(
	const char *buf, size_t n, uint32_t max_fields, struct http_head *ret)
{
	const char *rest = NULL;
	struct http_span line = first_line(buf, n, &rest);
	struct options o;
	enum http_fault f;

	clear(ret);
	if (!line.s)
		return HTTP_FAULT_LINE_END;
	if ((f = parse_request_line(ret, line.s, line.n)) != HTTP_NO_FAULT ||
		(f = parse_fields(ret, max_fields, rest, buf + n, true)) != HTTP_NO_FAULT ||
		(f = read_framing(ret)) != HTTP_NO_FAULT ||
		(f = read_connection(ret, &o)) != HTTP_NO_FAULT ||
		(f = http_head_expect(ret)) != HTTP_NO_FAULT)
		return f;
	/* Other upgrades are not forwarded; a server may ignore them too. */
	ret->websocket = o.upgrade && ret->version == HTTP_1_1 && ret->framing == HTTP_BODY_NONE &&
			 http_span_is(ret->method, "GET") && upgrades_to_websocket(ret);
	return HTTP_NO_FAULT;
}

/* Reads "HTTP/1.1 200 reason". Without a reason the space before it may be missing. */
static enum http_fault parse_status_line(struct http_head *h, const char *s, size_t n)
{
	enum http_fault f;

	if (n < VERSION_LEN + 4 || s[VERSION_LEN] != ' ')
		return HTTP_FAULT_STATUS_LINE;
	f = parse_version(s, HTTP_FAULT_STATUS_LINE, &h->version);
	if (f != HTTP_NO_FAULT)
		return f;
	for (size_t i = VERSION_LEN + 1; i < VERSION_LEN + 4; i++) {
		if (!http_is(s[i], HTTP_C_DIGIT))
			return HTTP_FAULT_STATUS_LINE;
		h->status = (uint16_t)(h->status * 10 + (s[i] - '0'));
	}
	if (h->status < 100 || h->status > 599)
		return HTTP_FAULT_STATUS_LINE;
	if (n > VERSION_LEN + 4 && s[VERSION_LEN + 4] != ' ')
		return HTTP_FAULT_STATUS_LINE;
	h->reason = http_span_trim((struct http_span){ s + VERSION_LEN + 4, n - VERSION_LEN - 4 });
	return http_span_all(h->reason, HTTP_C_VALUE) ? HTTP_NO_FAULT : HTTP_FAULT_STATUS_LINE;
}

/* RFC 9112 section 6.3 for responses. */
static enum http_fault response_framing(struct http_head *h, bool head_request)
{
	enum http_fault f = read_framing(h);

	if (f != HTTP_NO_FAULT)
		return f;
	if (h->status < 200 || h->status == 204) {
		if (h->framing == HTTP_BODY_CHUNKED)
			return HTTP_FAULT_CODING_LAST;
		if (h->framing == HTTP_BODY_LENGTH && h->length != 0)
			return HTTP_FAULT_LENGTH;
		h->length = HTTP_LENGTH_UNKNOWN;
		h->framing = HTTP_BODY_NONE;
	} else if (head_request || h->status == 304) {
		h->framing = HTTP_BODY_NONE;
	} else if (h->framing == HTTP_BODY_NONE) {
		h->framing = HTTP_BODY_UNTIL_CLOSE;
		h->keep_alive = false;
	}
	return HTTP_NO_FAULT;
}

enum http_fault http_head_response(
	const char *buf, size_t n, uint32_t max_fields, bool head_request, struct http_head *ret)
{
	const char *rest = NULL;
	struct http_span line = first_line(buf, n, &rest);
	struct options o;
	enum http_fault f;

	clear(ret);
	if (!line.s)
		return HTTP_FAULT_LINE_END;
	if ((f = parse_status_line(ret, line.s, line.n)) != HTTP_NO_FAULT ||
		(f = parse_fields(ret, max_fields, rest, buf + n, false)) != HTTP_NO_FAULT ||
		(f = read_connection(ret, &o)) != HTTP_NO_FAULT ||
		(f = response_framing(ret, head_request)) != HTTP_NO_FAULT)
		return f;
	ret->websocket = ret->status == 101 && o.upgrade && upgrades_to_websocket(ret);
	return HTTP_NO_FAULT;
}

bool http_head_may_trail(const struct http_field *f)
{
	static const char *const heads[] = { "authorization", "cookie", "set-cookie",
		"content-encoding", "content-type", "content-range", "cache-control", "range",
		"if-match", "if-none-match", "if-range", "location", "www-authenticate" };

	if (f->known != HTTP_OTHER)
		return false;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (http_span_is_nocase(f->name, heads[i]))
			return false;
	return true;
}

enum http_fault http_head_trailers(
	const char *buf, size_t n, uint32_t max_fields, struct http_head *ret)
{
	enum http_fault f;

	ret->n_fields = 0;
	f = parse_fields(ret, max_fields, buf, buf + n, true);
	for (size_t i = 0; i < ret->n_fields && f == HTTP_NO_FAULT; i++)
		if (!http_head_may_trail(&ret->fields[i]))
			f = HTTP_FAULT_TRAILER;
	return f;
}
