/* SPDX-License-Identifier: Apache-2.0
 *
 * Time that only goes forward (clock_gettime(2), CLOCK_MONOTONIC), for bounds.
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

/* The next multiple of so many milliseconds. Who looks now and then, and does not care when, looks
 * together with others: the machine is woken once. */
static inline int64_t clock_next_ms(int64_t step_ms)
{
	return (clock_now_ms() / step_ms + 1) * step_ms;
}

#endif
