/* SPDX-License-Identifier: Apache-2.0
 *
 * Text of a bundle or container that goes to a terminal or into a log with one line per entry.
 * Characters that are not printable become escape sequences of the C language (as in runc), so
 * nobody can forge a line or send commands to a terminal.
 */
#ifndef SANDLOCK_BASE_PRINTABLE_H
#define SANDLOCK_BASE_PRINTABLE_H

#include <stdbool.h>

#include "runtime/base/arena.h"

/* Returns the text in the arena. quoted: the text will be placed between double quotes, so these
 * and the backslash are escaped too. */
char *printable_text(struct arena *a, const char *text, bool quoted);

#endif
