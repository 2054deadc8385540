/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "runtime/base/utf8.h"
#include "sandbox/toml/internal.h"

bool toml_at_string(const struct toml_reader *r)
{
	return toml_peek(r) == '"' || toml_peek(r) == '\'';
}

static int hex_digits(struct toml_reader *r, int n, uint32_t *ret)
{
	static const char digits[] = "0123456789abcdef";

	*ret = 0;
	for (int i = 0; i < n; i++) {
		const int c = toml_peek(r);
		const char *d =
			c > 0 ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;

		if (!d)
			return toml_unexpected(r, "a hexadecimal digit");
		*ret = *ret << 4 | (uint32_t)(d - digits);
		r->p++;
	}
	return 0;
}

static size_t utf8_write(uint32_t c, char *to)
{
	const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };

	to[0] = (char)(lead[more] | c >> (6 * more));
	for (int i = 1; i <= more; i++)
		to[i] = (char)(0x80 | (c >> (6 * (more - i)) & 0x3f));
	return (size_t)more + 1;
}

static int character_by_number(struct toml_reader *r, int n_digits, char **to)
{
	uint32_t c = 0;

	if (hex_digits(r, n_digits, &c) < 0)
		return -1;
	if (c == 0)
		return toml_fail(r, "U+0000 cannot be used");
	if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return toml_fail(r, "U+%04X is no character", c);
	*to += utf8_write(c, *to);
	return 0;
}

/* A backslash at the end of a line takes away all white space up to the next other character. */
static int continued_line(struct toml_reader *r)
{
	toml_blanks(r);
	if (!toml_newline(r))
		return toml_unexpected(r, "the end of the line");
	do
		toml_blanks(r);
	while (toml_newline(r));
	return 0;
}

/* Reads what follows a backslash. */
static int escape(struct toml_reader *r, bool lines, char **to)
{
	static const char names[] = "btnfr\"\\", values[] = "\b\t\n\f\r\"\\";
	const int c = toml_peek(r);
	const char *name = c > 0 ? strchr(names, c) : NULL;

	if (lines && (c == ' ' || c == '\t' || c == '\n' || c == '\r'))
		return continued_line(r);
	if (name) {
		r->p++;
		*(*to)++ = values[name - names];
		return 0;
	}
	if (toml_take(r, "u"))
		return character_by_number(r, 4, to);
	if (toml_take(r, "U"))
		return character_by_number(r, 8, to);
	return toml_unexpected(r, "one of b t n f r u U \" \\");
}

/* The end of a string of several lines: two quotes more can stand before it. */
static bool end_of_lines(struct toml_reader *r, char quote, char **to)
{
	const char end[] = { quote, quote, quote, '\0' };

	if (!toml_take(r, end))
		return false;
	for (int i = 0; i < 2 && toml_peek(r) == quote; i++) {
		r->p++;
		*(*to)++ = quote;
	}
	return true;
}

static bool at_end(struct toml_reader *r, char quote, bool lines, char **to)
{
	if (lines)
		return end_of_lines(r, quote, to);
	if (toml_peek(r) != quote)
		return false;
	r->p++;
	return true;
}

static int inside(struct toml_reader *r, char quote, bool lines, char **to)
{
	while (!at_end(r, quote, lines, to)) {
		const char *start = r->p;
		const int c = toml_peek(r);

		if (lines && toml_newline(r)) {
			memmove(*to, start, (size_t)(r->p - start));
			*to += r->p - start;
		} else if (quote == '"' && toml_take(r, "\\")) {
			if (escape(r, lines, to) < 0)
				return -1;
		} else if (c == EOF || toml_is_control(c)) {
			return toml_unexpected(r, "the end of the string");
		} else {
			*(*to)++ = (char)c;
			r->p++;
		}
	}
	return 0;
}

int toml_string(struct toml_reader *r, bool may_have_lines, const char **ret)
{
	const char quote = *r->p;
	const char three[] = { quote, quote, quote, '\0' };
	char *start = r->p, *to = start;
	bool lines = toml_take(r, three);

	if (lines && !may_have_lines)
		return toml_fail(r, "a string of several lines cannot be a key");
	if (lines)
		toml_newline(r);
	else
		r->p++;
	if (inside(r, quote, lines, &to) < 0)
		return -1;
	*to = '\0';
	*ret = start;
	return 0;
}
