/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/limits/activity.h"

#include <time.h>

/* linux/posix-timers.h: the processor-time clock of a process, as clock_getcpuclockid(3) makes
 * it. */
#define PROCESS_CLOCK(pid) ((clockid_t)(~(uint32_t)(pid) << 3 | 2))

/* Returns false if the process is gone. */
static bool clock_ns_of(pid_t pid, uint64_t *ret_ns)
{
	struct timespec t;

	if (clock_gettime(PROCESS_CLOCK(pid), &t) < 0)
		return false;
	*ret_ns = (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
	return true;
}

void activity_begin(struct activity *a)
{
	a->complete = true;
	a->ns = 0;
	a->n = 0;
}

uint64_t activity_note(struct activity *a, pid_t pid)
{
	uint64_t ns = 0;

	if (!clock_ns_of(pid, &ns) || a->n == ACTIVITY_MAX)
		a->complete = false;
	else
		a->pids[a->n++] = pid;
	a->ns += ns;
	return ns;
}

bool activity_has_run(const struct activity *a)
{
	uint64_t sum = 0, ns;

	for (size_t i = 0; i < a->n; i++) {
		if (!clock_ns_of(a->pids[i], &ns))
			return true;
		sum += ns;
	}
	return !a->complete || sum != a->ns;
}
