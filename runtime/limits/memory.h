/* SPDX-License-Identifier: Apache-2.0
 *
 * linux.resources.memory.limit without a cgroup: a thread of the supervisor measures what the
 * container holds (charge.h) whenever the allocation clock says that it may be too much
 * (clock.h, pace.h). If it is too much, the thread kills the process with the largest charge. No
 * system call of the container is trapped for this. The thread runs before all other processes
 * (SCHED_FIFO, or nice -20 if that is refused).
 *
 * Errors: memory_start() returns an error; after it has returned, the thread never ends.
 */
#ifndef SANDLOCK_LIMITS_MEMORY_H
#define SANDLOCK_LIMITS_MEMORY_H

#include "runtime/limits/charge.h"
#include "runtime/limits/clock.h"

struct memory;

struct memory_stats {
	uint64_t limit;
	uint64_t held; /* at the last measurement */
	uint64_t peak;
	uint64_t kills;
};

/* Call this before the supervisor is confined. tid: see clock_open(). If there is no clock, the
 * thread polls, and *ret_why holds the reason. Returns NULL with errno on failure. */
struct memory *memory_open(pid_t tid, uint64_t limit, struct sl_err *ret_why);

/* Adds a tmpfs mount of the container's own, by any descriptor in it; takes the descriptor. */
void memory_add_tmpfs(struct memory *m, int *fd);

/* Adds the /dev/shm that the containers of a pod share, by a descriptor of its root. Returns 0, or
 * -1 with errno. */
int memory_add_pod_shm(struct memory *m, int fd);

/* Starts the thread, which first calls confine() (0, or -1 with errno). *members is copied. */
int memory_start(
	struct memory *m, const struct members *members, int (*confine)(void), struct sl_err *err);

bool memory_has_clock(const struct memory *m);
/* UINT64_MAX: no limit. */
void memory_set_limit(struct memory *m, uint64_t limit);
/* Makes the thread measure soon, whatever the clock says, so that the next figures are recent. */
void memory_look(struct memory *m);
void memory_stats(const struct memory *m, struct memory_stats *ret);
/* An eventfd(2) that is readable after each kill. */
int memory_event_fd(const struct memory *m);

#endif
