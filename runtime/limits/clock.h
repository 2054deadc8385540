/* SPDX-License-Identifier: Apache-2.0
 *
 * The allocation clock: a signal for each few MiB that the processes of a container are given, by
 * whatever way: faults, huge pages, shared memory, tmpfs, pipes. Two perf events on the tracepoint
 * kmem:mm_page_alloc (perf_event_open(2)), which children inherit; a container that sleeps is not
 * heard of. Only what is given is counted, the page cache too, and nothing that is given back.
 * A set-user-ID program does not inherit them.
 */
#ifndef SANDLOCK_LIMITS_CLOCK_H
#define SANDLOCK_LIMITS_CLOCK_H

#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/err.h"

struct clock_events {
	int fds[2];    /* single pages, huge ones; -1: there is no clock */
	uint64_t tick; /* bytes between two signals, of each */
};

#define CLOCK_NONE                                                                                 \
	{                                                                                          \
		{ -1, -1 }, 0                                                                      \
	}

/* tid: the thread that forks everything of the container, before it forks. Needs CAP_PERFMON, and
 * tracefs, mounted or to be mounted for this moment. On failure there is none, with the reason. */
int clock_open(struct clock_events *c, pid_t tid, uint64_t tick, struct sl_err *err);
void clock_close(struct clock_events *c);

/* Has the calling thread signalled. */
int clock_signal_me(const struct clock_events *c, int sig);

#endif
