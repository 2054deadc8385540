/* SPDX-License-Identifier: Apache-2.0
 *
 * A limit of processor time that is not a whole number of processors (linux.resources.cpu.quota
 * in each cpu.period): the time that all processes together may use in a period. When it is used
 * up, they are stopped (SIGSTOP) until the next period. A container that stays below the limit
 * is never stopped; its processor time is only measured, a few times in a period while it works,
 * and less than once in two seconds while it sleeps.
 *
 * Time that was used beyond the limit, before it was measured, is subtracted from the next
 * periods, at most half of each. Unused time is lost at the end of the period.
 *
 * The workload can see the stops: a parent that waits with WUNTRACED is told, SIGCHLD comes with
 * it unless SA_NOCLDSTOP is set, some blocking calls end with EINTR (signal(7)), and a handler
 * of SIGCONT runs. A process that somebody else has stopped stays stopped.
 *
 * Errors: a process that cannot be stopped goes on; the supervisor never exits because of it.
 */
#ifndef SANDLOCK_LIMITS_BUDGET_H
#define SANDLOCK_LIMITS_BUDGET_H

#include "runtime/loop/loop.h"
#include "runtime/members/members.h"

/* The interval of measuring while a container sleeps; use it with clock_next_ms(). */
#define LIMITS_SLEEP_MS 2500

struct budget;

struct budget_share {
	uint64_t quota_us;
	uint64_t period_us; /* periods below 20 ms are combined to 20 ms */
	unsigned int cpus;  /* number of processors that can use it at the same time */
};

/* As in cpu.stat of a cgroup; they never decrease. */
struct budget_counts {
	uint64_t periods;
	uint64_t stopped; /* periods in which the limit was reached */
	uint64_t stopped_ns;
};

/* Returns a budget, or NULL with errno. No process is measured before budget_begin(). */
struct budget *budget_open(
	const struct members *members, struct loop *loop, const struct budget_share *share);
/* Counts exactly (ran.h), if the kernel permits it, from now on. tid: the thread of init that
 * forks. */
void budget_count(struct budget *b, pid_t tid);
/* The time that was counted so; 0: not known. */
uint64_t budget_ran_ns(const struct budget *b);
void budget_begin(struct budget *b);
/* Replaces the limit; NULL: no limit, until it is set again. */
void budget_set(struct budget *b, const struct budget_share *share);
/* Call this when the container is paused: all its processes are stopped, and this file continues
 * none of them. */
void budget_hold(struct budget *b);
void budget_resume(struct budget *b); /* call it when all were continued */
struct budget_counts budget_counts(const struct budget *b);

/* Returns what may be used after n_periods have ended with left_ns, which is negative if too
 * much was used, and *debt_ns from earlier periods; updates *debt_ns. A pure function. */
int64_t budget_refill(int64_t left_ns, uint64_t n_periods, int64_t quota_ns, int64_t *debt_ns);

#endif
