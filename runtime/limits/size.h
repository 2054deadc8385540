/* SPDX-License-Identifier: Apache-2.0
 *
 * What proc(5) and sysfs say about the machine's size, as a container with a part of it sees it:
 * the kernel's own text with some lines removed and some numbers replaced. All functions but
 * size_look_load() are pure.
 */
#ifndef SANDLOCK_LIMITS_SIZE_H
#define SANDLOCK_LIMITS_SIZE_H

#include <sched.h>
#include <stddef.h>

#include "runtime/members/members.h"

/* The unit of the averages in /proc/loadavg is 1 / SIZE_LOAD_ONE here. */
#define SIZE_LOAD_ONE 2048

struct size_load {
	uint64_t average[3]; /* over 1, 5 and 15 minutes */
	uint32_t n_running;
	uint32_t n_tasks;
	pid_t last; /* the highest pid so far */
};

struct size_facts {
	const cpu_set_t *cpus;
	uint64_t memory_limit; /* bytes; UINT64_MAX: no limit */
	uint64_t memory_held;
	uint64_t tasks_limit; /* UINT64_MAX: no limit */
	uint64_t quota_us;    /* of processor time in a period; 0: no limit */
	uint64_t period_us;
	struct size_load load;
};

/* Writes at most room bytes including a NUL, and returns the length; 0: there is not enough
 * room. host: the text of the machine's file. */
typedef size_t size_fn(const struct size_facts *f, const char *host, char *out, size_t room);

size_fn size_cpuinfo; /* the blocks of the container's processors only */
size_fn size_stat;    /* the container's processors only, and their sum */
size_fn size_cpus;    /* a list of processors (cpuset(7)), for online, possible and present */
size_fn size_meminfo; /* the limit is the total; what is held counts as anonymous */
size_fn size_loadavg;

/* Files of the cgroup directory; the machine has no such file. */
size_fn size_memory_current;
size_fn size_memory_max;
size_fn size_pids_current;
size_fn size_pids_max;
size_fn size_cpu_max;

/* Reads the states of the container's threads and updates the averages for the passed time. */
void size_look_load(struct size_load *l, const struct members *m, int64_t passed_ms);
/* Updates the averages only: n_steps steps of SIZE_STEP_MS with n_running threads. */
#define SIZE_STEP_MS 2000
void size_decay(struct size_load *l, uint32_t n_running, uint64_t n_steps);

#endif
