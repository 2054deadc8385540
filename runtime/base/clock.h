/* SPDX-License-Identifier: Apache-2.0
 *
 * A clock that never goes back (clock_gettime(2), CLOCK_MONOTONIC), for time limits.
 */
#ifndef SANDLOCK_BASE_CLOCK_H
#define SANDLOCK_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The next multiple of step_ms. Periodic work that does not need an exact time uses it, so that
 * several processes do it at the same time and the machine wakes only once. */
static inline int64_t clock_next_ms(int64_t step_ms)
{
	return (clock_now_ms() / step_ms + 1) * step_ms;
}

#endif
