/* SPDX-License-Identifier: Apache-2.0
 *
 * The allocation clock: a signal for every few MiB that the kernel allocates for the processes
 * of a container, for whatever reason: faults, huge pages, shared memory, tmpfs, pipes. It
 * consists of two perf events on the tracepoint kmem:mm_page_alloc (perf_event_open(2)), which
 * children inherit; a container that sleeps causes no signals. It counts allocations, those of
 * the page cache too, but not what is freed. A set-user-ID program does not inherit the events.
 */
#ifndef SANDLOCK_LIMITS_CLOCK_H
#define SANDLOCK_LIMITS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/err.h"

struct clock_events {
	int fds[2];    /* for single pages and for huge pages; -1: there is no clock */
	uint64_t tick; /* bytes between two signals of each event */
};

#define CLOCK_NONE                                                                                 \
	{                                                                                          \
		{ -1, -1 }, 0                                                                      \
	}

/* tid: the thread that forks all processes of the container, before its first fork. Needs
 * CAP_PERFMON and a tracefs, which is mounted for the call if necessary. On failure there is no
 * clock, and *err holds the reason. */
int clock_open(struct clock_events *c, pid_t tid, uint64_t tick, struct sl_err *err);
/* Whether this process could open one. */
bool clock_can_open(struct sl_err *ret_why);
void clock_close(struct clock_events *c);

/* Makes both events signal the calling thread. */
int clock_signal_me(const struct clock_events *c, int sig);

#endif
