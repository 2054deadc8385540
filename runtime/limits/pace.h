/* SPDX-License-Identifier: Apache-2.0
 *
 * When to look at what a container holds, and how much that may be between two looks. Pure.
 *
 * A quick look counts too much (what forks share) and too little (files that nobody has mapped), so
 * the last exact one says by how much. What the whole machine has had of shared memory since then
 * may all be the container's.
 */
#ifndef SANDLOCK_LIMITS_PACE_H
#define SANDLOCK_LIMITS_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes all of them; zeros at first. */
struct pace {
	uint64_t limit;
	uint64_t held;       /* as of the last look */
	uint64_t given;      /* allocated since that look, as the clock tells */
	uint64_t unverified; /* the same since the last exact look */
	int64_t excess;      /* of the quick look over the exact one */
	uint64_t host_shmem; /* of the machine, at the last exact look */
};

/* The clock has ticked. Returns whether to look now: at half of what is left. */
bool pace_tick(struct pace *p, uint64_t bytes);

/* After a quick look: whether an exact one has to follow, because the limit may be exceeded, or too
 * much was allocated since the last one. */
bool pace_quick(struct pace *p, uint64_t quick, uint64_t host_shmem);
void pace_exact(struct pace *p, uint64_t quick, uint64_t exact, uint64_t host_shmem);

/* Without a clock: milliseconds until the next look, last_ms being those until this one. grew: by
 * how much the container has since; ran: it has used processor time. */
int pace_poll(const struct pace *p, int last_ms, uint64_t grew, bool ran);

#endif
