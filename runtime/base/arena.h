/* SPDX-License-Identifier: Apache-2.0
 *
 * A bump allocator for everything that lives as long as one parsed document or one plan. Its chunks
 * come from mmap(2), so arena_free() returns the pages to the system: an idle supervisor must not
 * keep the memory that parsing needed. Allocations are zeroed and aligned to 16 bytes.
 *
 * Without memory the process ends with a message and status 1. Nothing is left behind: init ends
 * with the supervisor, and `delete --force` removes the rest. A process that must not end, such as
 * a supervisor while the workload runs, uses a checked arena, which returns NULL instead, and calls
 * only functions that support this.
 */
#ifndef SANDLOCK_BASE_ARENA_H
#define SANDLOCK_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/cleanup.h"

struct arena;

struct arena *arena_new(void);
/* A checked arena: this function and all allocations in the arena return NULL with ENOMEM when
 * there is no memory. */
struct arena *arena_new_checked(void);
_Noreturn void arena_exhausted(void); /* ends the process with the message for no memory */
/* Makes sure that the next allocations succeed, up to this number of bytes including alignment. */
bool arena_reserve(struct arena *a, size_t size);
void arena_free(struct arena *a); /* a may be NULL */
/* Frees everything but one chunk, so the arena is empty. For a process that repeats the same work
 * and cannot end when there is no memory. */
void arena_clear(struct arena *a);
void *arena_alloc(struct arena *a, size_t size);
void *arena_array(struct arena *a, size_t n, size_t size); /* n * size, checked for overflow */
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The arena is cleared at the end of the scope. */
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
