/* SPDX-License-Identifier: Apache-2.0 */
#include "annotations/rule_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int rule_number(const char *s, size_t len, unsigned int max, unsigned int *ret)
{
	unsigned int v = 0;

	if (len == 0 || len > 5 || (len > 1 && s[0] == '0'))
		return -1;
	for (size_t i = 0; i < len; i++) {
		if (!isdigit((unsigned char)s[i]))
			return -1;
		v = v * 10 + (unsigned int)(s[i] - '0');
	}
	if (v > max)
		return -1;
	*ret = v;
	return 0;
}

size_t rule_count(const char *s, size_t len, char c)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += s[i] == c;
	return n;
}

bool rule_next_item(const char **list, const char **ret, size_t *ret_len)
{
	const char *s = *list, *end;

	if (!s)
		return false;
	end = strchrnul(s, ';');
	*list = *end ? end + 1 : NULL;
	while (s < end && isspace((unsigned char)*s))
		s++;
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	*ret = s;
	*ret_len = (size_t)(end - s);
	return true;
}

const char *rule_render(struct arena *a, const void *items, size_t n, size_t size, char separator,
	rule_printer print)
{
	const char *text;
	char *buf = NULL;
	size_t len = 0;
	FILE *out;

	if (n == 0)
		return NULL;
	out = open_memstream(&buf, &len);
	if (!out)
		arena_exhausted();
	for (size_t i = 0; i < n; i++) {
		if (i)
			fputc(separator, out);
		print(out, (const char *)items + i * size);
	}
	if (fclose(out) != 0)
		arena_exhausted();
	text = arena_strndup(a, buf, len);
	free(buf);
	return text;
}
