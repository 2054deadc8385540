/* SPDX-License-Identifier: Apache-2.0
 *
 * What proc(5) and sysfs say of the machine's size, as it is for a container that has a part of it:
 * the kernel's own text with lines left out and figures exchanged. Pure functions but for the load.
 */
#ifndef SANDLOCK_LIMITS_SIZE_H
#define SANDLOCK_LIMITS_SIZE_H

#include <sched.h>
#include <stddef.h>

#include "runtime/members/members.h"

/* As /proc/loadavg has it, in units of 1 / SIZE_LOAD_ONE. */
#define SIZE_LOAD_ONE 2048

struct size_load {
	uint64_t average[3]; /* of 1, 5 and 15 minutes */
	uint32_t n_running;
	uint32_t n_tasks;
	pid_t last; /* the highest number */
};

struct size_facts {
	const cpu_set_t *cpus;
	uint64_t memory_limit; /* bytes */
	uint64_t memory_held;
	struct size_load load;
};

/* host: the text of the same file of the machine. Each writes at most room bytes, a NUL behind it,
 * and returns the length; 0: there is no room. */
typedef size_t size_fn(const struct size_facts *f, const char *host, char *out, size_t room);

size_fn size_cpuinfo; /* the blocks of the container's processors */
size_fn size_stat;    /* their lines, and the sum of them */
size_fn size_cpus;    /* a list (cpuset(7)): online, possible, present */
size_fn size_meminfo; /* the limit is all there is; what is held is anonymous */
size_fn size_loadavg;

/* Looks at the states of the container's threads, and lets the averages follow, as for so many
 * milliseconds. */
void size_look_load(struct size_load *l, const struct members *m, int64_t passed_ms);
/* The averages alone: of so many running in steps of SIZE_STEP_MS. */
#define SIZE_STEP_MS 2000
void size_decay(struct size_load *l, uint32_t n_running, uint64_t n_steps);

#endif
