/* SPDX-License-Identifier: Apache-2.0
 *
 * The environment of a process that is about to be packed: a name occurs once. Programs differ
 * in which one of two they read, so the one that was given last, which is what the caller
 * wanted to change it to, is the only one (runc does the same).
 */
#ifndef SANDLOCK_PLAN_ENV_H
#define SANDLOCK_PLAN_ENV_H

#include "runtime/base/arena.h"

/* The entries in their order, without those that a later one of the same name replaces, and
 * without an empty HOME, which stands for none (init/lookup.h). NULL-terminated, in the arena;
 * the strings are the given ones. */
char **plan_env_unique(struct arena *a, char *const *list, size_t n, size_t *ret_n);

#endif
