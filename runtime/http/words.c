/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/http/words.h"

#include <string.h>

static const struct {
	unsigned int status;
	const char *word;
	const char *text;
} faults[] = {
	{ 0, "none", "nothing" },
#define FAULT(name, status, word, text) { status, word, text },
#include "runtime/http/faults.def"
#undef FAULT
};

unsigned int http_fault_status(enum http_fault f)
{
	return faults[f].status;
}

const char *http_fault_word(enum http_fault f)
{
	return faults[f].word;
}

const char *http_fault_text(enum http_fault f)
{
	return faults[f].text;
}

/* Which sets of words.h a byte is in. */
#define A (HTTP_C_TOKEN | HTTP_C_VALUE | HTTP_C_PATH | HTTP_C_QUERY | HTTP_C_UNRESERVED)
#define D (A | HTTP_C_DIGIT | HTTP_C_HEX)                              /* 0-9 */
#define X (A | HTTP_C_HEX)                                             /* a-f */
#define S (HTTP_C_TOKEN | HTTP_C_VALUE | HTTP_C_PATH | HTTP_C_QUERY)   /* ! $ & ' * + */
#define P (HTTP_C_VALUE | HTTP_C_PATH | HTTP_C_QUERY)                  /* ( ) , / : ; = @ */
#define T (HTTP_C_TOKEN | HTTP_C_VALUE | HTTP_C_ENCODE | HTTP_C_QUERY) /* ^ ` | */
#define E (HTTP_C_VALUE | HTTP_C_ENCODE | HTTP_C_QUERY)                /* " < > [ ] { } */
#define Q (HTTP_C_VALUE | HTTP_C_QUERY)                                /* ? \ */
#define V HTTP_C_VALUE
#define N (HTTP_C_TOKEN | HTTP_C_VALUE | HTTP_C_PATH | HTTP_C_QUERY) /* % */
#define H (HTTP_C_TOKEN | HTTP_C_VALUE)                              /* # */

const uint8_t http_classes[256] = {
	['\t'] = V,
	[' '] = V,
	['!'] = S,
	['"'] = E,
	['#'] = H,
	['$'] = S,
	['%'] = N,
	['&'] = S,
	['\''] = S,
	['('] = P,
	[')'] = P,
	['*'] = S,
	['+'] = S,
	[','] = P,
	['-'] = A,
	['.'] = A,
	['/'] = P,
	['0' ... '9'] = D,
	[':'] = P,
	[';'] = P,
	['<'] = E,
	['='] = P,
	['>'] = E,
	['?'] = Q,
	['@'] = P,
	['A' ... 'F'] = X,
	['G' ... 'Z'] = A,
	['['] = E,
	['\\'] = Q,
	[']'] = E,
	['^'] = T,
	['_'] = A,
	['`'] = T,
	['a' ... 'f'] = X,
	['g' ... 'z'] = A,
	['{'] = E,
	['|'] = T,
	['}'] = E,
	['~'] = A,
	[0x80 ... 0xff] = V,
};

struct http_span http_span_of(const char *text)
{
	return (struct http_span){ text, strlen(text) };
}

bool http_span_is(struct http_span s, const char *word)
{
	return s.n == strlen(word) && memcmp(s.s, word, s.n) == 0;
}

bool http_span_is_nocase(struct http_span s, const char *word)
{
	if (s.n != strlen(word))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (http_lower(s.s[i]) != http_lower(word[i]))
			return false;
	return true;
}

bool http_span_all(struct http_span s, uint8_t class)
{
	for (size_t i = 0; i < s.n; i++)
		if (!http_is(s.s[i], class))
			return false;
	return true;
}

struct http_span http_span_trim(struct http_span s)
{
	while (s.n > 0 && (s.s[0] == ' ' || s.s[0] == '\t'))
		s = (struct http_span){ s.s + 1, s.n - 1 };
	while (s.n > 0 && (s.s[s.n - 1] == ' ' || s.s[s.n - 1] == '\t'))
		s.n--;
	return s;
}

const struct http_field *http_find(const struct http_head *h, const char *name)
{
	for (size_t i = 0; i < h->n_fields; i++)
		if (http_span_is_nocase(h->fields[i].name, name))
			return &h->fields[i];
	return NULL;
}

bool http_list_next(struct http_span *list, struct http_span *ret)
{
	const char *comma;

	if (!list->s)
		return false;
	comma = memchr(list->s, ',', list->n);
	*ret = http_span_trim(
		(struct http_span){ list->s, comma ? (size_t)(comma - list->s) : list->n });
	if (comma)
		*list = (struct http_span){ comma + 1, list->n - (size_t)(comma + 1 - list->s) };
	else
		*list = (struct http_span){ NULL, 0 };
	return true;
}
