/* SPDX-License-Identifier: Apache-2.0
 *
 * The environment of a process before it is packed: each name occurs once. Programs differ in which
 * one of two equal names they read. So only the last one is kept, with which the caller wanted to
 * replace the others (as runc does).
 *
 * Annotations decide about some variables of every process of a container, also of an exec'd one,
 * whatever its caller sets.
 */
#ifndef SANDLOCK_PLAN_ENV_H
#define SANDLOCK_PLAN_ENV_H

#include "runtime/base/arena.h"

/* Returns the entries in their order, without those that a later one with the same name replaces,
 * and without an empty HOME, which counts as unset (init/lookup.h). The list is NULL-terminated and
 * in the arena; the strings are not copied. */
char **plan_env_unique(struct arena *a, char *const *list, size_t n, size_t *ret_n);

/* "NAME=value": the variable has this value. "NAME": there is no such variable. */
struct plan_env_rules {
	char **items; /* in the arena; the strings are not copied */
	size_t n;
};

void plan_env_rule_add(struct arena *a, struct plan_env_rules *rules, const char *entry);

/* Returns the entries in their order, without the variables that a rule names, and then the
 * variables that the rules set. The list is NULL-terminated and in the arena. */
char **plan_env_decide(struct arena *a, const struct plan_env_rules *rules, char *const *list,
	size_t n, size_t *ret_n);

#endif
