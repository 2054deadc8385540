/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/limits: the processor time that a container has used, fast and exact to the
 * microsecond, for many measurements a second. Statistics come from usage.h.
 *
 * Processes that exist are asked for their clock (clock_getcpuclockid(3)), in nanoseconds. The
 * time of reaped processes comes from proc(5), in ticks: when a process ends, the sum can drop
 * by up to two ticks for a moment, and such a drop is no loss. Processes whose parent ignores
 * SIGCHLD, and which exist only between two measurements, are not seen.
 */
#ifndef SANDLOCK_LIMITS_SPENT_H
#define SANDLOCK_LIMITS_SPENT_H

#include "runtime/limits/activity.h"
#include "runtime/members/members.h"

/* State between two measurements; start with zeros. */
struct spent {
	uint64_t told_ns;
	uint64_t lost_ns; /* time of processes that ended without being reaped */
	struct activity activity;
};

/* sum_ns: the current sum of n processes; steady: no process was created or ended meanwhile.
 * Returns the total, which never decreases. */
uint64_t spent_count(struct spent *s, uint64_t sum_ns, uint64_t n, bool steady);

/* Measures. Takes some 10 microseconds for each process, or less than one if none has run. */
uint64_t spent_look(struct spent *s, const struct members *m);

#endif
