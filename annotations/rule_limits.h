/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers of io.sandlock.limits.*: digits, without sign or spaces, never 0.
 */
#ifndef SANDLOCK_ANNOTATIONS_RULE_LIMITS_H
#define SANDLOCK_ANNOTATIONS_RULE_LIMITS_H

#include <stdint.h>

#include "runtime/base/arena.h"

/* 1 to 4194304: the kernel's PID_MAX_LIMIT, which is above the usual fs.nr_open. */
int rule_count_parse(struct arena *a, const char *value, uint64_t *ret);
const char *rule_count_render(struct arena *a, const uint64_t *v);

/* In bytes; the letters are powers of 1024. */
int rule_size_parse(struct arena *a, const char *value, uint64_t *ret);
const char *rule_size_render(struct arena *a, const uint64_t *v);

enum rule_memory_mode { RULE_MEMORY_UNSET, RULE_MEMORY_KILL, RULE_MEMORY_DENY };
int rule_memory_mode_parse(struct arena *a, const char *value, enum rule_memory_mode *ret);
const char *rule_memory_mode_render(struct arena *a, const enum rule_memory_mode *v);

/* In seconds, from one to a year. */
int rule_duration_parse(struct arena *a, const char *value, uint64_t *ret);
const char *rule_duration_render(struct arena *a, const uint64_t *v);

#endif
