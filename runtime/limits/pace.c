/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/limits/pace.h"

/* After an allocation of limit / VERIFY_SHARE an exact measurement is needed. */
#define VERIFY_SHARE 4

/* Polling intervals: for a container that grows, that runs, and that sleeps. */
#define POLL_FAST_MS 10

/* The most that the container can hold, without the allocations since the last measurement. A
 * page that is shared after a fork can become a private copy, and the quick measurement does not
 * change then. */
static uint64_t held_at_most(const struct pace *p)
{
	const uint64_t shared = p->excess > 0 ? (uint64_t)p->excess : 0;

	return p->held + (p->unverified < shared ? p->unverified : shared);
}

bool pace_tick(struct pace *p, uint64_t bytes)
{
	const uint64_t held = held_at_most(p);

	p->given += bytes;
	return p->given >= (p->limit > held ? p->limit - held : 0) / 2;
}

bool pace_quick(struct pace *p, uint64_t quick, uint64_t host_shmem)
{
	const uint64_t shmem = host_shmem > p->host_shmem ? host_shmem - p->host_shmem : 0;
	const int64_t held = (int64_t)quick - p->excess;

	p->held = held > 0 ? (uint64_t)held : 0;
	p->unverified += p->given;
	p->given = 0;
	return held_at_most(p) + shmem > p->limit || p->unverified > p->limit / VERIFY_SHARE;
}

void pace_exact(struct pace *p, uint64_t quick, uint64_t exact, uint64_t host_shmem)
{
	p->held = exact;
	p->given = p->unverified = 0;
	p->excess = (int64_t)quick - (int64_t)exact;
	p->host_shmem = host_shmem;
}

int pace_poll(const struct pace *p, int last_ms, uint64_t grew, bool ran)
{
	if (grew > p->limit / 64 || (!p->clock && p->held > p->limit / 8 * 7))
		return ran || grew ? POLL_FAST_MS : PACE_RUN_MS;
	if (ran || grew)
		return PACE_RUN_MS;
	return last_ms * 2 < PACE_IDLE_MS ? last_ms * 2 : PACE_IDLE_MS;
}
