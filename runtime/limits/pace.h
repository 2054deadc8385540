/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides when the memory of a container has to be measured, and whether exactly. Pure
 * functions.
 *
 * A quick measurement counts some memory too often (pages shared after a fork) and misses some
 * (files that nobody has mapped); the last exact one tells the difference. Shared memory that
 * the whole machine has got since then may all belong to the container.
 */
#ifndef SANDLOCK_LIMITS_PACE_H
#define SANDLOCK_LIMITS_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* All numbers are bytes; start with zeros. */
struct pace {
	uint64_t limit;
	uint64_t held;       /* at the last measurement */
	uint64_t given;      /* allocated since that measurement, as the clock counts */
	uint64_t unverified; /* allocated since the last exact measurement */
	int64_t excess;      /* quick minus exact measurement */
	uint64_t host_shmem; /* shared memory of the machine, at the last exact measurement */
	bool clock;          /* pace_tick() is called */
};

/* Call this for a tick of the clock. Returns whether to measure now: when half of what is left
 * has been allocated. */
bool pace_tick(struct pace *p, uint64_t bytes);

/* Call this after a quick measurement. Returns whether an exact one is needed, because the limit
 * may be exceeded, or because too much was allocated since the last exact one. */
bool pace_quick(struct pace *p, uint64_t quick, uint64_t host_shmem);
void pace_exact(struct pace *p, uint64_t quick, uint64_t exact, uint64_t host_shmem);

/* The longest time between two measurements while the container runs, in milliseconds. */
#define PACE_RUN_MS 50
/* The same while the container sleeps. */
#define PACE_IDLE_MS 2100

/* For polling, with a clock and without one: returns the milliseconds until the next measurement.
 * last_ms: the same for this one; grew: change of the memory in this time; ran: the container has
 * used processor time. */
int pace_poll(const struct pace *p, int last_ms, uint64_t grew, bool ran);

#endif
