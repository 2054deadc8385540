/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/limits: how much processor time a container has used, fast and to the microsecond,
 * for who looks many times a second. What statistics say is usage.h's.
 *
 * What runs is asked for its clock (clock_getcpuclockid(3)), which counts in nanoseconds. What has
 * been waited for is told by proc(5) in ticks: when a process ends, up to two of them are missing
 * until there is more, so such a dip is no loss. Processes that nobody waits for (SIGCHLD is
 * ignored) and that come and go between two looks are not seen.
 */
#ifndef SANDLOCK_LIMITS_SPENT_H
#define SANDLOCK_LIMITS_SPENT_H

#include "runtime/members/members.h"

/* Between two looks; zeros at first. */
struct spent {
	uint64_t told_ns;
	uint64_t lost_ns; /* of processes that nobody has waited for */
};

/* sum_ns of n processes is what is to be seen now; steady: none came or went meanwhile. Returns the
 * total, which never decreases. */
uint64_t spent_count(struct spent *s, uint64_t sum_ns, uint64_t n, bool steady);

/* Looks. Costs some 10 microseconds for each process. */
uint64_t spent_look(struct spent *s, const struct members *m);

#endif
