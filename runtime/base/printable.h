/* SPDX-License-Identifier: Apache-2.0
 *
 * Text of a bundle or of a container on its way to a terminal or into a log of lines: what is
 * no printable character becomes an escape sequence of the C language (as runc quotes), so that
 * no line is forged and no terminal is commanded.
 */
#ifndef SANDLOCK_BASE_PRINTABLE_H
#define SANDLOCK_BASE_PRINTABLE_H

#include <stdbool.h>

#include "runtime/base/arena.h"

/* In the arena. quoted: the text stands between double quotes, so these and the backslash are
 * escaped as well. */
char *printable_text(struct arena *a, const char *text, bool quoted);

#endif
