/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/utf8.h"
#include "sandbox/toml/internal.h"

size_t toml_column(const struct toml_reader *r)
{
	size_t n = 1;

	for (size_t i = r->line_start; i < (size_t)(r->p - r->copy); i++)
		n += ((unsigned char)r->source[i] & 0xc0) != 0x80;
	return n;
}

int toml_fail(const struct toml_reader *r, const char *fmt, ...)
{
	char msg[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	return sl_err_set(r->err, 0, "line %zu, column %zu: %s", r->line, toml_column(r), msg);
}

int toml_unexpected(const struct toml_reader *r, const char *expected)
{
	const size_t n = r->p < r->end ? utf8_char(r->p, (size_t)(r->end - r->p)) : 0;

	if (n == 0)
		return toml_fail(r, "the document ends where %s is expected", expected);
	if (*r->p == '\n' || *r->p == '\r')
		return toml_fail(r, "the line ends where %s is expected", expected);
	if (toml_is_control(*r->p))
		return toml_fail(r, "a control character (0x%02x) where %s is expected",
			(unsigned int)*r->p, expected);
	return toml_fail(r, "'%.*s' where %s is expected", (int)n, r->p, expected);
}

int toml_peek(const struct toml_reader *r)
{
	return r->p < r->end ? (unsigned char)*r->p : EOF;
}

bool toml_take(struct toml_reader *r, const char *word)
{
	const size_t n = strlen(word);

	if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0)
		return false;
	r->p += n;
	return true;
}

bool toml_is_control(int c)
{
	return (c >= 0 && c < ' ' && c != '\t') || c == 0x7f;
}

bool toml_newline(struct toml_reader *r)
{
	if (!toml_take(r, "\n") && !toml_take(r, "\r\n"))
		return false;
	r->line++;
	r->line_start = (size_t)(r->p - r->copy);
	return true;
}

void toml_blanks(struct toml_reader *r)
{
	while (toml_take(r, " ") || toml_take(r, "\t"))
		;
}

void toml_comment(struct toml_reader *r)
{
	if (toml_peek(r) != '#')
		return;
	while (toml_peek(r) != EOF && !toml_is_control(toml_peek(r)))
		r->p++;
}

void toml_space(struct toml_reader *r)
{
	do {
		toml_blanks(r);
		toml_comment(r);
	} while (toml_newline(r));
}
