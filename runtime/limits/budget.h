/* SPDX-License-Identifier: Apache-2.0
 *
 * A share of processor time that is no whole number of processors (linux.resources.cpu.quota in
 * each cpu.period): so much may all processes together use in a period. Who has used it up is
 * stopped (SIGSTOP) until the next one; who stays below is never stopped, and costs only that it is
 * looked at, a few times in a period while it works and less than once in two seconds while it
 * sleeps.
 *
 * What was used beyond the budget, because it was noticed late, is taken from the next periods,
 * half of each at most. What was not used is gone with its period.
 *
 * What is stopped here can be seen: a parent that waits with WUNTRACED is told, SIGCHLD comes with
 * it unless SA_NOCLDSTOP is set, some calls that wait end with EINTR (signal(7)), and who handles
 * SIGCONT does. Who was stopped by somebody else stays stopped.
 * Failure regime: never die; who cannot be stopped runs on.
 */
#ifndef SANDLOCK_LIMITS_BUDGET_H
#define SANDLOCK_LIMITS_BUDGET_H

#include "runtime/loop/loop.h"
#include "runtime/members/members.h"

/* Between two looks at who sleeps; by clock_next_ms(). */
#define LIMITS_SLEEP_MS 2500

struct budget;

struct budget_share {
	uint64_t quota_us;
	uint64_t period_us; /* below 20 ms: as many of them as 20 ms have */
	unsigned int cpus;  /* on which it can be used at a time */
};

/* They never decrease, as in cpu.stat of a cgroup. */
struct budget_counts {
	uint64_t periods;
	uint64_t stopped; /* of them, those in which it was used up */
	uint64_t stopped_ns;
};

/* Returns it, or NULL with errno. Nobody is looked at before budget_begin(). */
struct budget *budget_open(
	const struct members *members, struct loop *loop, const struct budget_share *share);
void budget_begin(struct budget *b);
/* From now on; NULL: no limit, until there is one again. */
void budget_set(struct budget *b, const struct budget_share *share);
/* The container is paused: everything is stopped, and nobody is let go on here. */
void budget_hold(struct budget *b);
void budget_resume(struct budget *b); /* all were let go on */
struct budget_counts budget_counts(const struct budget *b);

/* What a period is worth, when so much was owed at its end and of the ones before: returns what may
 * be used, and lowers *debt_ns. Pure. */
int64_t budget_refill(int64_t left_ns, uint64_t n_periods, int64_t quota_ns, int64_t *debt_ns);

#endif
