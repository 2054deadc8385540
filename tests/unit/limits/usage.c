/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters never decrease: what a steady look misses was lost and is kept; what an unsteady one
 * misses or has twice changes nothing in the end.
 */
#include "runtime/limits/usage.h"
#include "tests/unit/check.h"

static uint64_t count(struct usage_meter *u, uint64_t sum, bool steady)
{
	const uint64_t sums[USAGE_COUNTERS] = { sum };
	uint64_t told[USAGE_COUNTERS];

	usage_count(u, sums, steady, told);
	return told[0];
}

static void corrected(void)
{
	const uint64_t sums[USAGE_COUNTERS] = { 100, 40 };
	struct usage_meter u = { 0 };
	uint64_t told[USAGE_COUNTERS];

	usage_count(&u, sums, true, told);
	usage_correct(&u, 0, 10, told);
	usage_correct(&u, 150, 10, told);
	CHECK(told[USAGE_USER_NS] == 100);
	usage_correct(&u, 200, 10, told);
	CHECK(told[USAGE_USER_NS] == 150 && told[USAGE_SYSTEM_NS] == 40);
	/* Once added, it stays, and is not added again. */
	usage_count(&u, sums, true, told);
	usage_correct(&u, 200, 10, told);
	CHECK(told[USAGE_USER_NS] == 150 && told[USAGE_SYSTEM_NS] == 40);
}

int main(void)
{
	struct usage_meter u = { 0 };

	corrected();

	CHECK(count(&u, 100, true) == 100);
	CHECK(count(&u, 150, true) == 150);
	/* A process with 50 has gone, unwaited; what others use from then on comes on top. */
	CHECK(count(&u, 100, true) == 150);
	CHECK(count(&u, 110, true) == 160);
	/* Not seen for a moment, then again. */
	CHECK(count(&u, 20, false) == 160);
	CHECK(count(&u, 110, true) == 160);
	/* Seen twice for a moment: what was told stays, and what is true catches up with it. */
	CHECK(count(&u, 200, false) == 250);
	CHECK(count(&u, 120, true) == 250);
	CHECK(count(&u, 199, true) == 250);
	CHECK(count(&u, 205, true) == 255);
	return 0;
}
