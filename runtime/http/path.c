/* SPDX-License-Identifier: Apache-2.0
 *
 * Brings a path into one form for all spellings that RFC 3986 calls equivalent (section 6.2).
 * Repeated slashes become one, as in nearly every server.
 */
#include "runtime/http/path.h"

#include <string.h>

#include "runtime/http/words.h"

struct path_out {
	char *s;
	size_t n;
};

static enum http_fault put_escaped(struct path_out *o, unsigned char c)
{
	static const char hex[] = "0123456789ABCDEF";

	if (o->n + 3 > HTTP_PATH_MAX)
		return HTTP_FAULT_PATH_SIZE;
	o->s[o->n++] = '%';
	o->s[o->n++] = hex[c >> 4];
	o->s[o->n++] = hex[c & 15];
	return HTTP_NO_FAULT;
}

static enum http_fault put(struct path_out *o, char c)
{
	if (o->n + 1 > HTTP_PATH_MAX)
		return HTTP_FAULT_PATH_SIZE;
	o->s[o->n++] = c;
	return HTTP_NO_FAULT;
}

/* Decodes needless escapes, and escapes what must be escaped. */
static enum http_fault put_next(struct path_out *o, const char *s, size_t left, size_t *ret_used)
{
	unsigned char c;

	*ret_used = 1;
	if (s[0] != '%') {
		if (http_is(s[0], HTTP_C_PATH))
			return put(o, s[0]);
		return http_is(s[0], HTTP_C_ENCODE) ? put_escaped(o, (unsigned char)s[0])
						    : HTTP_FAULT_PATH_CHARACTER;
	}
	if (left < 3 || !http_is(s[1], HTTP_C_HEX) || !http_is(s[2], HTTP_C_HEX))
		return HTTP_FAULT_ESCAPE;
	*ret_used = 3;
	c = (unsigned char)(http_hex(s[1]) << 4 | http_hex(s[2]));
	if (c < 0x20 || c == 0x7f)
		return HTTP_FAULT_ESCAPED_CONTROL;
	return http_is((char)c, HTTP_C_UNRESERVED) ? put(o, (char)c) : put_escaped(o, c);
}

size_t http_path_resolve(char *path, size_t n)
{
	size_t out = 0;

	for (size_t i = 0; i < n;) {
		size_t end = i + 1; /* end of the segment behind the slash at i */
		size_t len;

		while (end < n && path[end] != '/')
			end++;
		len = end - i - 1;
		if (len == 2 && path[i + 1] == '.' && path[i + 2] == '.') {
			while (out > 0 && path[--out] != '/')
				;
			len = 0;
		} else if (len == 1 && path[i + 1] == '.') {
			len = 0;
		}
		if (len > 0) {
			memmove(path + out, path + i, len + 1);
			out += len + 1;
		} else if (end == n) { /* what is left ends with a slash */
			path[out++] = '/';
		}
		i = end;
	}
	return out;
}

/* Returns the value of the escape at s, or -1: there is none. */
static int escaped(const char *s, const char *end)
{
	return end - s >= 3 && s[0] == '%' ? (int)(http_hex(s[1]) << 4 | http_hex(s[2])) : -1;
}

/* Overlong UTF-8: no encoder writes it, and some decoders accept it. */
static bool is_overlong(const char *s, const char *end)
{
	int first = escaped(s, end), second = first < 0 ? -1 : escaped(s + 3, end);

	if (second < 0x80 || second > 0xbf)
		return false;
	return first == 0xc0 || first == 0xc1 || (first == 0xe0 && second < 0xa0) ||
	       (first == 0xf0 && second < 0x90);
}

/* "%2500" is a control character for a server that decodes twice. */
static bool hides_control(const char *s, const char *end)
{
	if (escaped(s, end) != '%' || end - s < 5)
		return false;
	return ((s[3] == '0' || s[3] == '1') && http_is(s[4], HTTP_C_HEX)) ||
	       (s[3] == '7' && http_lower(s[4]) == 'f');
}

enum http_fault http_path_make(struct http_span path, char ret[HTTP_PATH_MAX + 1], size_t *ret_len)
{
	struct path_out o = { ret, 0 };

	if (path.n == 0 || path.s[0] != '/')
		return HTTP_FAULT_TARGET;
	for (size_t i = 0, used; i < path.n; i += used) {
		enum http_fault f = put_next(&o, path.s + i, path.n - i, &used);

		if (f != HTTP_NO_FAULT)
			return f;
	}
	for (size_t i = 0; i < o.n; i++) {
		if (is_overlong(ret + i, ret + o.n))
			return HTTP_FAULT_OVERLONG;
		if (hides_control(ret + i, ret + o.n))
			return HTTP_FAULT_ESCAPED_CONTROL;
	}
	o.n = http_path_resolve(ret, o.n);
	ret[o.n] = '\0';
	*ret_len = o.n;
	return HTTP_NO_FAULT;
}

/* Decodes each escape once. A "%" without two digits stays. */
static size_t decode_escapes(char *s, size_t n, bool slashes)
{
	size_t out = 0;

	for (size_t i = 0; i < n; i++) {
		char c = s[i];

		if (c == '%' && n - i >= 3 && http_is(s[i + 1], HTTP_C_HEX) &&
			http_is(s[i + 2], HTTP_C_HEX)) {
			c = (char)(http_hex(s[i + 1]) << 4 | http_hex(s[i + 2]));
			i += 2;
			/* Stands for an escaped slash that is no separator: a byte that no path
			 * has. */
			if (c == '/' || c == '\\')
				c = slashes ? '/' : HTTP_PATH_OPAQUE;
		}
		s[out++] = c;
	}
	return out;
}

/* Removes ";" and what follows it in each segment: servlets read that as parameters. */
static size_t cut_parameters(char *s, size_t n)
{
	bool within = false;
	size_t out = 0;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '/')
			within = false;
		else if (s[i] == ';')
			within = true;
		if (!within)
			s[out++] = s[i];
	}
	return out;
}

/* Removes the dots and blanks at the end of each segment. What is a dot segment without its blanks
 * becomes one. */
static size_t strip_segments(char *s, size_t n)
{
	size_t out = 0, begin = 0;

	for (size_t i = 0; i <= n; i++) {
		if (i < n && s[i] != '/') {
			s[out++] = s[i];
			continue;
		}
		while (out > begin && s[out - 1] == ' ')
			out--;
		if (!(out - begin <= 2 && memcmp(s + begin, "..", out - begin) == 0))
			while (out > begin && (s[out - 1] == ' ' || s[out - 1] == '.'))
				out--;
		if (i < n)
			s[out++] = '/';
		begin = out;
	}
	return out;
}

/* Returns the bits for one byte or escape of a path. ending: dots and blanks stand before it. */
static unsigned int readings_of(int c, bool ending)
{
	unsigned int may = 0;

	if (c == ';')
		may = HTTP_READ_CUT_FIRST | HTTP_READ_CUT_LAST;
	else if (c == '\\')
		may = HTTP_READ_SLASHES;
	else if (c == '%')
		may = HTTP_READ_ALL & ~(unsigned int)HTTP_READ_STRIP;
	if (ending && (may || c == '/'))
		may |= HTTP_READ_STRIP;
	return may;
}

unsigned int http_path_readings(const char *path, size_t n)
{
	bool ending = false;
	unsigned int may = 0;

	for (const char *p = path, *end = path + n; p < end;) {
		const int e = escaped(p, end), c = e < 0 ? *p : e;

		may |= readings_of(c, ending);
		if (e == '/')
			may |= HTTP_READ_SLASHES;
		if (e == '%') /* "%2520" is a blank for a server that decodes twice */
			may |= HTTP_READ_STRIP;
		ending = c == '.' || c == ' ';
		p += e < 0 ? 1 : 3;
	}
	return ending ? may | HTTP_READ_STRIP : may;
}

size_t http_path_read(const char *path, size_t n, unsigned int how, char *ret)
{
	const bool slashes = how & HTTP_READ_SLASHES;

	memcpy(ret, path, n);
	if (how & HTTP_READ_CUT_FIRST)
		n = cut_parameters(ret, n);
	if (how & HTTP_READ_TWICE) {
		for (size_t before = n + 1; n < before;) {
			before = n;
			n = decode_escapes(ret, n, slashes);
		}
	} else {
		n = decode_escapes(ret, n, slashes);
	}
	if (how & HTTP_READ_CUT_LAST)
		n = cut_parameters(ret, n);
	if (how & HTTP_READ_STRIP)
		n = strip_segments(ret, n);
	n = http_path_resolve(ret, n);
	while (n > 0 && ret[n - 1] == '/')
		n--;
	return n;
}
