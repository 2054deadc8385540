/* SPDX-License-Identifier: Apache-2.0
 *
 * What a period is worth: nothing is saved, and what is owed is paid with half of it.
 */
#include "runtime/limits/budget.h"

#include "runtime/limits/spent.h"
#include "tests/unit/check.h"

#define MS 1000000LL

static void a_period_is_worth_its_quota(void)
{
	int64_t debt = 0;

	CHECK(budget_refill(20 * MS, 1, 50 * MS, &debt) == 50 * MS);
	CHECK(budget_refill(0, 1, 50 * MS, &debt) == 50 * MS);
	CHECK(budget_refill(50 * MS, 1000, 50 * MS, &debt) == 50 * MS);
	CHECK(debt == 0);
}

static void a_small_debt_is_paid_at_once(void)
{
	int64_t debt = 0;

	CHECK(budget_refill(-5 * MS, 1, 50 * MS, &debt) == 45 * MS);
	CHECK(debt == 0);
}

static void a_large_one_in_turn(void)
{
	int64_t debt = 0;

	CHECK(budget_refill(-60 * MS, 1, 50 * MS, &debt) == 25 * MS && debt == 35 * MS);
	CHECK(budget_refill(0, 1, 50 * MS, &debt) == 25 * MS && debt == 10 * MS);
	CHECK(budget_refill(0, 1, 50 * MS, &debt) == 40 * MS && debt == 0);
	CHECK(budget_refill(-60 * MS, 10, 50 * MS, &debt) == 50 * MS && debt == 0);
}

static void numbers_do_not_overflow(void)
{
	int64_t debt = 0;

	CHECK(budget_refill(-1, UINT64_MAX / 4, INT64_MAX / 2, &debt) == INT64_MAX / 2);
	CHECK(debt == 0);
}

/* 10 ms are a tick. */
static void what_is_waited_for_is_no_loss(void)
{
	struct spent s = { 0 };

	CHECK(spent_count(&s, 100 * MS, 1, true) == 100 * MS);
	CHECK(spent_count(&s, 90 * MS, 1, true) == 100 * MS);
	CHECK(spent_count(&s, 105 * MS, 1, true) == 105 * MS);
}

static void what_nobody_waited_for_stays(void)
{
	struct spent s = { 0 };

	CHECK(spent_count(&s, 500 * MS, 1, true) == 500 * MS);
	CHECK(spent_count(&s, 300 * MS, 1, false) == 500 * MS);
	CHECK(spent_count(&s, 100 * MS, 1, true) == 500 * MS);
	CHECK(spent_count(&s, 150 * MS, 1, true) == 550 * MS);
}

int main(void)
{
	a_period_is_worth_its_quota();
	a_small_debt_is_paid_at_once();
	a_large_one_in_turn();
	numbers_do_not_overflow();
	what_is_waited_for_is_no_loss();
	what_nobody_waited_for_stays();
	return check_done();
}
