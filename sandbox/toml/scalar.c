/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "sandbox/toml/internal.h"

#define HEX_DIGITS "0123456789abcdefABCDEF"

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool in_word(int c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c > 0 && strchr("+-_.:", c));
}

/* The end of the word that begins here. A blank can stand between a date and a time. */
static char *word_end(const struct toml_reader *r)
{
	struct toml_reader at = *r;

	while (in_word(toml_peek(&at)))
		at.p++;
	if (at.p - r->p == (ptrdiff_t)strlen("2000-01-01") && r->p[4] == '-' && at.end - at.p > 1 &&
		at.p[0] == ' ' && is_digit(at.p[1])) {
		at.p++;
		while (in_word(toml_peek(&at)))
			at.p++;
	}
	return at.p;
}

/* Removes the underscores. Each must stand between two digits. */
static bool without_underscores(char *s)
{
	const char *digits = strncmp(s, "0x", 2) == 0 ? HEX_DIGITS : "0123456789";
	char *to = s;

	for (const char *c = s; *c; c++) {
		if (*c == '_') {
			if (c == s || !strchr(digits, c[-1]) || c[1] == '\0' ||
				!strchr(digits, c[1]))
				return false;
			continue;
		}
		*to++ = *c;
	}
	*to = '\0';
	return true;
}

struct base {
	const char *prefix;
	int base;
	const char *digits;
};

static bool whole(const char *s, const struct base *b, int64_t *ret)
{
	const char *first = b->base == 10 && (*s == '+' || *s == '-') ? s + 1 : s;
	char *end;

	if (*first == '\0' || first[strspn(first, b->digits)] != '\0')
		return false;
	if (b->base == 10 && first[0] == '0' && first[1] != '\0')
		return false;
	errno = 0;
	*ret = strtoll(s, &end, b->base);
	return *end == '\0';
}

/* Returns 1 if it is no integer. */
static int integer(const struct toml_reader *r, const char *s, struct toml *v)
{
	static const struct base bases[] = {
		{ "0x", 16, HEX_DIGITS },
		{ "0o", 8, "01234567" },
		{ "0b", 2, "01" },
		{ "", 10, "0123456789" },
	};
	const struct base *b = bases;

	while (strncmp(s, b->prefix, strlen(b->prefix)) != 0)
		b++;
	if (!whole(s + strlen(b->prefix), b, &v->integer))
		return 1;
	if (errno == ERANGE)
		return toml_fail(r, "the number does not fit into 64 bits");
	v->type = TOML_INTEGER;
	return 0;
}

static const char *skip_digits(const char *s)
{
	while (is_digit(*s))
		s++;
	return s;
}

static bool is_float(const char *s)
{
	const char *first, *t;

	s += *s == '+' || *s == '-';
	if (strcmp(s, "inf") == 0 || strcmp(s, "nan") == 0)
		return true;
	first = s;
	s = skip_digits(s);
	if (s == first || (*first == '0' && s - first > 1))
		return false;
	if (*s == '.') {
		t = skip_digits(s + 1);
		if (t == s + 1)
			return false;
		s = t;
	}
	if (*s == 'e' || *s == 'E') {
		s += 1 + (s[1] == '+' || s[1] == '-');
		t = skip_digits(s);
		if (t == s)
			return false;
		s = t;
	}
	return *s == '\0';
}

static int plain_number(const struct toml_reader *r, char *s, struct toml *v)
{
	const char *as_written = arena_strdup(r->a, s);
	int not_integer;

	if (!without_underscores(s))
		return toml_fail(r, "'%s': an underscore stands between two digits", as_written);
	not_integer = integer(r, s, v);
	if (not_integer <= 0)
		return not_integer;
	if (!is_float(s))
		return toml_fail(r, "'%s' is no value; a string stands in quotes", as_written);
	v->type = TOML_FLOAT;
	v->text = as_written;
	return 0;
}

int toml_scalar(struct toml_reader *r, struct toml *v)
{
	char *end, *s;

	if (!in_word(toml_peek(r)))
		return toml_unexpected(r, "a value");
	end = word_end(r);
	s = arena_strndup(r->a, r->p, (size_t)(end - r->p));
	if (strcmp(s, "true") == 0 || strcmp(s, "false") == 0) {
		v->type = TOML_BOOLEAN;
		v->boolean = s[0] == 't';
	} else if (toml_is_time(s)) {
		v->type = TOML_TIME;
		v->text = s;
	} else if (plain_number(r, s, v) < 0) {
		return -1;
	}
	r->p = end;
	return 0;
}
