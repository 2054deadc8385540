/* SPDX-License-Identifier: Apache-2.0
 *
 * When memory is looked at: at half of what is left; exactly where the limit may be exceeded or
 * much was allocated since; and without a clock the less often the less happens.
 */
#include "runtime/limits/pace.h"
#include "tests/unit/check.h"

#define MIB ((uint64_t)1 << 20)

static void with_clock(void)
{
	struct pace p = { .limit = 100 * MIB };

	/* Nothing is held: half of it may be given. */
	CHECK(!pace_tick(&p, 40 * MIB));
	CHECK(pace_tick(&p, 10 * MIB));
	/* The page cache mostly; but it is more than a quarter of the limit. */
	CHECK(pace_quick(&p, 20 * MIB, 0));
	pace_exact(&p, 20 * MIB, 10 * MIB, 5 * MIB);
	CHECK(p.held == 10 * MIB && p.excess == 10 * (int64_t)MIB);
	CHECK(!pace_tick(&p, 4 * MIB));
	CHECK(!pace_quick(&p, 90 * MIB, 0));
	CHECK(p.held == 80 * MIB && p.given == 0 && p.unverified == 4 * MIB);
	/* What the machine has more of shared memory may be the container's, and what was given may
	 * have been shared by a fork until then. */
	CHECK(!pace_quick(&p, 90 * MIB, 21 * MIB));
	CHECK(pace_quick(&p, 90 * MIB, 22 * MIB));
	CHECK(!pace_tick(&p, 7 * MIB));
	CHECK(pace_tick(&p, 1 * MIB));
	/* At the limit every tick is one too many. */
	pace_exact(&p, 110 * MIB, 100 * MIB, 0);
	CHECK(pace_tick(&p, 1));
	/* A limit that was lowered below what is held. */
	p.limit = 50 * MIB;
	CHECK(pace_tick(&p, 0));
	CHECK(pace_quick(&p, 110 * MIB, 0));
	/* Less than what shares are worth cannot be. */
	CHECK(!pace_quick(&p, 0, 0));
	CHECK(p.held == 0);
}

static void without(void)
{
	struct pace p = { .limit = 640 * MIB };
	int ms = 1, polls = 0;

	CHECK(pace_poll(&p, 2000, 20 * MIB, true) <= 10);
	CHECK(pace_poll(&p, 2000, 0, true) <= 50);
	while (ms < 2000 && polls++ < 20)
		ms = pace_poll(&p, ms, 0, false);
	CHECK(ms > 2000);
	CHECK(pace_poll(&p, 10000, 0, false) < 3000);
	/* Near the limit the clock says when to look, and without it nobody does. */
	p.held = 600 * MIB;
	CHECK(pace_poll(&p, 2000, 0, true) <= 10);
	CHECK(pace_poll(&p, 2000, 0, false) <= 50);
	p.clock = true;
	CHECK(pace_poll(&p, 2000, 0, true) > 10);
	CHECK(pace_poll(&p, 2000, 0, false) > 2000);
}

int main(void)
{
	with_clock();
	without();
	return check_done();
}
