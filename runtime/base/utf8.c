/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/utf8.h"

#include <stdint.h>
#include <string.h>

size_t utf8_char(const char *s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s;
	unsigned char low = 0x80, high = 0xbf;
	size_t len;

	if (n == 0)
		return 0;
	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	len = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (len > n)
		return 0;
	/* The second byte alone decides about overlong forms, surrogates and values above
	 * U+10FFFF. */
	switch (p[0]) {
	case 0xe0: low = 0xa0; break;
	case 0xed: high = 0x9f; break;
	case 0xf0: low = 0x90; break;
	case 0xf4: high = 0x8f; break;
	default: break;
	}
	if (p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

size_t utf8_valid_prefix(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n) {
		uint64_t word;
		size_t len;

		/* Skips eight ASCII bytes at a time, because most documents are nearly all
		 * ASCII. */
		while (n - i >= sizeof(word)) {
			memcpy(&word, s + i, sizeof(word));
			if (word & UINT64_C(0x8080808080808080))
				break;
			i += sizeof(word);
		}
		if (i == n)
			break;
		len = utf8_char(s + i, n - i);
		if (len == 0)
			break;
		i += len;
	}
	return i;
}
