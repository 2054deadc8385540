/* SPDX-License-Identifier: Apache-2.0
 *
 * The environment of a process that is about to be packed: a name occurs once. Programs differ
 * in which one of two they read, so the one that was given last, which is what the caller
 * wanted to change it to, is the only one (runc does the same).
 *
 * Annotations decide some variables of every process of a container, whatever its caller says of
 * them; an exec'd process as well.
 */
#ifndef SANDLOCK_PLAN_ENV_H
#define SANDLOCK_PLAN_ENV_H

#include "runtime/base/arena.h"

/* The entries in their order, without those that a later one of the same name replaces, and
 * without an empty HOME, which stands for none (init/lookup.h). NULL-terminated, in the arena;
 * the strings are the given ones. */
char **plan_env_unique(struct arena *a, char *const *list, size_t n, size_t *ret_n);

/* "NAME=value": the variable has this value. "NAME": there is no such variable. */
struct plan_env_rules {
	char **items; /* in the arena; the strings are the given ones */
	size_t n;
};

void plan_env_rule_add(struct arena *a, struct plan_env_rules *rules, const char *entry);

/* The entries in their order, without those that a rule names, then what the rules set.
 * NULL-terminated, in the arena. */
char **plan_env_decide(struct arena *a, const struct plan_env_rules *rules, char *const *list,
	size_t n, size_t *ret_n);

#endif
