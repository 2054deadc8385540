/* SPDX-License-Identifier: Apache-2.0
 *
 * What the grammars of rules share, to read and to write.
 */
#ifndef SANDLOCK_ANNOTATIONS_RULE_TEXT_H
#define SANDLOCK_ANNOTATIONS_RULE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "runtime/base/arena.h"

/* A decimal number of at most five digits and no leading zeros, up to max. Returns 0, or -1. */
int rule_number(const char *s, size_t len, unsigned int max, unsigned int *ret);

/* How often c is there. */
size_t rule_count(const char *s, size_t len, char c);

/* The next item of a list without the spaces around it; false after the last. */
bool rule_next_item(const char **list, const char **ret, size_t *ret_len);

/* What print() writes of n items of that size, with the separator in between, as a string of the
 * arena. NULL without any. */
typedef void (*rule_printer)(FILE *out, const void *item);
const char *rule_render(struct arena *a, const void *items, size_t n, size_t size, char separator,
	rule_printer print);

#endif
