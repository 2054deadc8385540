/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/limits: whether any process of a container has run since the last measurement,
 * for less than a microsecond a process. The measurement notes each process, and init, with its
 * clock of processor time. A new process needs one of these to create it; so while no clock has
 * moved, nothing has changed.
 */
#ifndef SANDLOCK_LIMITS_ACTIVITY_H
#define SANDLOCK_LIMITS_ACTIVITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A container with more processes counts as one that has run. */
#define ACTIVITY_MAX 2048

/* Start with zeros: it has run. */
struct activity {
	bool complete; /* no process is missing below */
	uint64_t ns;   /* the sum of the clocks */
	size_t n;
	pid_t pids[ACTIVITY_MAX];
};

void activity_begin(struct activity *a);
/* Call this for each process before it is measured. Returns its processor time in nanoseconds; 0
 * if it is gone. */
uint64_t activity_note(struct activity *a, pid_t pid);
bool activity_has_run(const struct activity *a);

#endif
