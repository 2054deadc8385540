/* SPDX-License-Identifier: Apache-2.0
 *
 * Strict UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
 */
#ifndef SANDLOCK_BASE_UTF8_H
#define SANDLOCK_BASE_UTF8_H

#include <stddef.h>

/* Length of the character at s (1 to 4), or 0 when it is not well formed within n bytes. */
size_t utf8_char(const char *s, size_t n);

/* The offset of the first byte that is not part of a well-formed character; n if there is none. */
size_t utf8_valid_prefix(const char *s, size_t n);

#endif
