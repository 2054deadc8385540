/* SPDX-License-Identifier: Apache-2.0
 *
 * A token bucket: limits a burst, and the number per second.
 */
#ifndef SANDLOCK_BASE_TOKENS_H
#define SANDLOCK_BASE_TOKENS_H

#include <stdbool.h>

#include "runtime/base/clock.h"

struct tokens {
	uint32_t left;
	int64_t second; /* of the last refill; 0: never, so the bucket is full */
};

/* Takes one token; false when there is none. */
static inline bool tokens_take(struct tokens *t, uint32_t burst, uint32_t per_second)
{
	const int64_t now = clock_now_ms() / 1000;
	const uint64_t more = (uint64_t)(now - t->second) * per_second;

	t->left = t->second == 0 || t->left + more > burst ? burst : t->left + (uint32_t)more;
	t->second = now;
	if (t->left == 0)
		return false;
	t->left--;
	return true;
}

#endif
