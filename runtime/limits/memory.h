/* SPDX-License-Identifier: Apache-2.0
 *
 * linux.resources.memory.limit without a cgroup: a thread of the supervisor looks at what the
 * container holds (charge.h) whenever the allocation clock says that it may have become too much
 * (clock.h, pace.h), and kills the process with the largest charge when it has. Nothing that the
 * container does with memory is trapped. The thread only looks and kills, ahead of everything else
 * that runs (SCHED_FIFO, or nice -20 where that is refused).
 *
 * Failure regime: before memory_start() has returned an error; later the thread never ends.
 */
#ifndef SANDLOCK_LIMITS_MEMORY_H
#define SANDLOCK_LIMITS_MEMORY_H

#include "runtime/limits/charge.h"
#include "runtime/limits/clock.h"

struct memory;

struct memory_stats {
	uint64_t limit;
	uint64_t held; /* as of the last look */
	uint64_t peak;
	uint64_t kills;
};

/* For the supervisor, before it is confined. *tid: see clock_open(). Where there can be no clock it
 * is polled, and *ret_why says why. Returns it, or NULL with errno. */
struct memory *memory_open(pid_t tid, uint64_t limit, struct sl_err *ret_why);

/* A tmpfs of the container's own, by any descriptor in it; taken. */
void memory_add_tmpfs(struct memory *m, int *fd);

/* Starts the thread, which first calls confine() (0, or -1 with errno). members are copied. */
int memory_start(
	struct memory *m, const struct members *members, int (*confine)(void), struct sl_err *err);

bool memory_has_clock(const struct memory *m);
/* UINT64_MAX: none. */
void memory_set_limit(struct memory *m, uint64_t limit);
/* Has the thread look soon, whatever the clock says, so that the next figures are of now. */
void memory_look(struct memory *m);
void memory_stats(const struct memory *m, struct memory_stats *ret);
/* Can be read (eventfd(2)) after each kill. */
int memory_event_fd(const struct memory *m);

#endif
