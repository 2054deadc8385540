/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that the grammars of rules share, for reading and writing.
 */
#ifndef SANDLOCK_ANNOTATIONS_RULE_TEXT_H
#define SANDLOCK_ANNOTATIONS_RULE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "runtime/base/arena.h"

/* A decimal number of at most five digits and no leading zeros, up to max. Returns 0, or -1. */
int rule_number(const char *s, size_t len, unsigned int max, unsigned int *ret);

/* Counts how often c occurs. */
size_t rule_count(const char *s, size_t len, char c);

/* Returns the next item of a list without the spaces around it; false after the last one. */
bool rule_next_item(const char **list, const char **ret, size_t *ret_len);

/* Calls print() for n items of that size and puts the separator between them. Returns a string in
 * the arena, or NULL if n is 0. */
typedef void (*rule_printer)(FILE *out, const void *item);
const char *rule_render(struct arena *a, const void *items, size_t n, size_t size, char separator,
	rule_printer print);

#endif
