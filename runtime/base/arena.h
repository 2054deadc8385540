/* SPDX-License-Identifier: Apache-2.0
 *
 * A bump allocator for everything that lives as long as one parsed document or one plan.
 * Chunks come from mmap, so freeing an arena gives its pages back to the system: an idle
 * supervisor must not keep what parsing needed. Allocations are zeroed and aligned to 16 bytes.
 *
 * Out of memory ends the process with a message and status 1 (what was made goes with it: init ends
 * when the supervisor does, `delete --force` sweeps). Who must not end, as a supervisor while its
 * workload runs, has an arena that returns NULL instead, and calls only functions that can do with
 * one.
 */
#ifndef SANDLOCK_BASE_ARENA_H
#define SANDLOCK_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/cleanup.h"

struct arena;

struct arena *arena_new(void);
/* Returns NULL, with ENOMEM, when there is no memory, and so does what allocates in it. */
struct arena *arena_new_checked(void);
_Noreturn void arena_exhausted(void); /* the end for whoever else finds no memory */
/* The next allocations succeed, up to that many bytes with what alignment adds. */
bool arena_reserve(struct arena *a, size_t size);
void arena_free(struct arena *a); /* NULL is fine */
/* As new, with one chunk at hand: for whoever must do the same again and again and cannot end
 * when there is no memory. */
void arena_clear(struct arena *a);
void *arena_alloc(struct arena *a, size_t size);
void *arena_array(struct arena *a, size_t n, size_t size); /* n * size, overflow checked */
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Cleared at the end of the scope. */
static inline void arena_clear_(struct arena **a)
{
	arena_clear(*a);
}
#define auto_cleared auto_with(arena_clear_)

static inline void arena_cleanup_(struct arena **a)
{
	arena_free(*a);
}
#define auto_arena auto_with(arena_cleanup_)

#endif
