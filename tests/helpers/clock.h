/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SANDLOCK_TESTS_HELPERS_CLOCK_H
#define SANDLOCK_TESTS_HELPERS_CLOCK_H

#include <time.h>

static inline double clock_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

#endif
