/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/printable.h"

#include <stdio.h>
#include <string.h>

#include "runtime/base/utf8.h"

#define LONGEST 6 /* the longest escape sequence: \\u0085 */

/* Writes a character of n bytes; n 0: a byte that is not part of a character. Returns the number of
 * bytes written. */
static int put_character(char *out, const char *s, size_t n, bool quoted)
{
	const unsigned char c = (unsigned char)*s;

	if (n == 0)
		return sprintf(out, "\\x%02x", c);
	/* U+0080 to U+009F: some terminals take them as commands */
	if (n == 2 && c == 0xc2 && (unsigned char)s[1] < 0xa0)
		return sprintf(out, "\\u00%02x", (unsigned char)s[1]);
	if (c == '\n' || c == '\r' || c == '\t')
		return sprintf(out, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
	if (c < ' ' || c == 0x7f)
		return sprintf(out, "\\x%02x", c);
	if (quoted && (c == '"' || c == '\\'))
		return sprintf(out, "\\%c", c);
	memcpy(out, s, n);
	return (int)n;
}

char *printable_text(struct arena *a, const char *text, bool quoted)
{
	size_t len = strlen(text), at = 0;
	char *out = arena_array(a, len * LONGEST + 1, 1);

	for (size_t i = 0; i < len;) {
		size_t n = utf8_char(text + i, len - i);

		at += (size_t)put_character(out + at, text + i, n, quoted);
		i += n ? n : 1;
	}
	out[at] = '\0';
	return out;
}
