/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/limits/budget.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/clock.h"
#include "runtime/base/proc_status.h"
#include "runtime/limits/ran.h"
#include "runtime/limits/spent.h"

#define MS_NS         1000000LL
#define PERIOD_MS_MIN 20
#define LOOK_MS_MIN   2
/* after this many periods of sleep the interval is LIMITS_SLEEP_MS, whatever the period */
#define QUIET_MAX 8

/* A process that is created while others are stopped is found by the next round, or at the end
 * of the period. */
#define STOP_ROUNDS 4

struct stopped {
	struct stop {
		struct proc_id id;
		bool twice; /* a second SIGSTOP was sent and may still be pending */
	} * all;
	size_t n, room;
};

struct budget {
	const struct members *members;
	struct loop *loop;
	struct loop_timer timer;
	int64_t quota_ns, period_ms;
	unsigned int cpus;
	bool limited, held, begun;
	struct spent spent;
	int ran_fd;        /* ran.h; -1: not counted */
	uint64_t spent_ns; /* at the last measurement */
	int64_t left_ns, debt_ns;
	int64_t end_ms; /* end of the period */
	unsigned int quiet;
	bool is_stopped; /* all processes are stopped, since stopped_ms */
	int64_t stopped_ms;
	struct stopped stopped;
	struct budget_counts counts;
};

struct stop_round {
	struct budget *b;
	/* a known process that runs now was continued by somebody else, so it is stopped again */
	bool first;
	size_t n; /* how many were stopped */
};

static struct stop *find_stop(const struct stopped *l, pid_t pid, uint64_t start)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->all[i].id.pid == pid && l->all[i].id.start == start)
			return &l->all[i];
	return NULL;
}

static int remember_stop(struct stopped *l, struct proc_id id)
{
	if (l->n == l->room) {
		size_t room = l->room ? l->room * 2 : 64;
		struct stop *bigger = realloc(l->all, room * sizeof(*bigger));

		if (!bigger)
			return -1;
		l->all = bigger;
		l->room = room;
	}
	l->all[l->n++] = (struct stop){ .id = id };
	return 0;
}

/* Stops one process. A process that is already stopped was stopped by somebody else, and is not
 * continued later. */
static void stop_one(struct member *p, void *ctx)
{
	struct stop_round *r = ctx;
	struct proc_stat st;
	struct stop *known;

	if (proc_read_stat_at(p->dir_fd, &st) < 0 || st.state == 'T' || st.state == 't' ||
		(st.state == 'Z' && st.n_threads <= 1))
		return;
	known = find_stop(&r->b->stopped, p->pid, st.start);
	if (known && !r->first)
		return;
	if (known)
		known->twice = true;
	else if (remember_stop(&r->b->stopped, (struct proc_id){ p->pid, st.start }) < 0)
		return;
	if (pidfd_send_signal(p->dir_fd, SIGSTOP, NULL, 0) == 0)
		r->n++;
}

static void stop_all(struct budget *b)
{
	struct stop_round r = { .b = b, .n = 1 };

	for (int i = 0; i < STOP_ROUNDS && r.n > 0; i++) {
		r.first = i == 0;
		r.n = 0;
		if (members_each(b->members, MEMBERS_BELOW_SUPERVISOR, stop_one, &r) < 0)
			r.n = 1;
	}
	if (!b->is_stopped) {
		b->counts.stopped++;
		b->stopped_ms = clock_now_ms();
	}
	b->is_stopped = true;
}

/* SIGCONT discards pending stop signals. For a process that is already stopped, the pending ones
 * are the workload's own and have to be sent again. For a process that is not stopped yet, the
 * pending one is that of stop_one(). */
static uint64_t other_stops(const struct budget *b, const struct stop *stop)
{
	const uint64_t stops = 1ULL << (SIGSTOP - 1) | 1ULL << (SIGTSTP - 1) |
			       1ULL << (SIGTTIN - 1) | 1ULL << (SIGTTOU - 1);
	struct proc_stat stat;
	struct proc_status st;

	if (stop->twice || proc_read_stat(b->members->proc_fd, stop->id.pid, &stat) < 0 ||
		stat.state != 'T' || proc_read_status(b->members->proc_fd, stop->id.pid, &st) < 0)
		return 0;
	return (st.pending | st.shared) & stops;
}

static void let_go_on(const struct budget *b, const struct stop *stop)
{
	auto_fd int fd = proc_pidfd(b->members->proc_fd, &stop->id);
	uint64_t again;

	if (fd < 0)
		return;
	again = other_stops(b, stop);
	pidfd_send_signal(fd, SIGCONT, NULL, 0);
	for (int sig = 1; again >> (sig - 1); sig++)
		if (again & 1ULL << (sig - 1))
			pidfd_send_signal(fd, sig, NULL, 0);
}

static void forget_stop(struct budget *b)
{
	if (b->is_stopped)
		b->counts.stopped_ns += (uint64_t)((clock_now_ms() - b->stopped_ms) * MS_NS);
	b->is_stopped = false;
	b->stopped.n = 0;
}

static void continue_all(struct budget *b)
{
	for (size_t i = 0; i < b->stopped.n; i++)
		let_go_on(b, &b->stopped.all[i]);
	forget_stop(b);
}

int64_t budget_refill(int64_t left_ns, uint64_t n_periods, int64_t quota_ns, int64_t *debt_ns)
{
	int64_t gained, paid;

	if (__builtin_mul_overflow((int64_t)n_periods, quota_ns, &gained))
		gained = INT64_MAX;
	if (left_ns < 0)
		*debt_ns -= left_ns;
	paid = *debt_ns < gained / 2 ? *debt_ns : gained / 2;
	*debt_ns -= paid;
	gained -= paid;
	return gained < quota_ns ? gained : quota_ns;
}

/* The next look is at the earliest time at which the container can have used what is left. */
static int64_t next_look(const struct budget *b, int64_t now)
{
	const int64_t reach = b->left_ns / MS_NS / b->cpus;
	int64_t at = now + (reach > LOOK_MS_MIN ? reach : LOOK_MS_MIN), sleep;

	if (b->left_ns <= 0)
		return b->end_ms;
	if (b->quiet == 0)
		return at < b->end_ms ? at : b->end_ms;
	sleep = b->quiet < QUIET_MAX ? b->period_ms << b->quiet : LIMITS_SLEEP_MS;
	return sleep < LIMITS_SLEEP_MS ? now + sleep : clock_next_ms(LIMITS_SLEEP_MS);
}

/* Neither counter is ever too large. */
static uint64_t look_at_spent(struct budget *b)
{
	const uint64_t seen_ns = spent_look(&b->spent, b->members), ran_ns = ran_look(b->ran_fd);
	const uint64_t now_ns = seen_ns > ran_ns ? seen_ns : ran_ns;

	return now_ns > b->spent_ns ? now_ns : b->spent_ns;
}

static void on_look(struct loop_timer *t)
{
	struct budget *b = LOOP_OWNER(t, struct budget, timer);
	const uint64_t spent_ns = look_at_spent(b);
	const int64_t now = clock_now_ms();
	const int64_t used = (int64_t)(spent_ns - b->spent_ns);

	b->spent_ns = spent_ns;
	b->left_ns -= used;
	if (now >= b->end_ms) {
		const int64_t n = (now - b->end_ms) / b->period_ms + 1;

		b->end_ms += n * b->period_ms;
		b->counts.periods += (uint64_t)n;
		b->left_ns = budget_refill(b->left_ns, (uint64_t)n, b->quota_ns, &b->debt_ns);
		/* Less than a hundredth of the budget: the container sleeps. */
		if (b->debt_ns == 0 && used < n * b->quota_ns / 100)
			b->quiet += b->quiet < QUIET_MAX;
		else
			b->quiet = 0;
	}
	if (b->left_ns <= 0)
		stop_all(b);
	else if (b->is_stopped)
		continue_all(b);
	loop_set_timer(b->loop, &b->timer, next_look(b, now), on_look);
}

static void begin_period(struct budget *b)
{
	const int64_t now = clock_now_ms();

	b->spent_ns = look_at_spent(b);
	b->left_ns = b->quota_ns;
	b->end_ms = now + b->period_ms;
	b->quiet = 0;
	loop_set_timer(b->loop, &b->timer, next_look(b, now), on_look);
}

/* Several short periods are treated as one. */
static void take_share(struct budget *b, const struct budget_share *share)
{
	uint64_t quota_us = share->quota_us, period_us = share->period_us;

	if (period_us < PERIOD_MS_MIN * 1000) {
		quota_us = quota_us * PERIOD_MS_MIN * 1000 / period_us;
		period_us = PERIOD_MS_MIN * 1000;
	}
	b->quota_ns = (int64_t)quota_us * 1000;
	b->period_ms = (int64_t)period_us / 1000;
	b->cpus = share->cpus > 0 ? share->cpus : 1;
	b->debt_ns = 0;
	b->limited = true;
}

struct budget *budget_open(
	const struct members *members, struct loop *loop, const struct budget_share *share)
{
	struct budget *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->members = members;
	b->loop = loop;
	b->ran_fd = -1;
	take_share(b, share);
	return b;
}

void budget_count(struct budget *b, pid_t tid)
{
	b->ran_fd = ran_open(tid);
}

uint64_t budget_ran_ns(const struct budget *b)
{
	return ran_look(b->ran_fd);
}

void budget_begin(struct budget *b)
{
	b->begun = true;
	if (b->limited && !b->held)
		begin_period(b);
}

void budget_set(struct budget *b, const struct budget_share *share)
{
	b->limited = false;
	if (share)
		take_share(b, share);
	if (!b->begun || b->held)
		return;
	loop_stop_timer(b->loop, &b->timer);
	continue_all(b);
	if (b->limited)
		begin_period(b);
}

void budget_hold(struct budget *b)
{
	b->held = true;
	loop_stop_timer(b->loop, &b->timer);
	forget_stop(b);
}

void budget_resume(struct budget *b)
{
	b->held = false;
	if (b->begun && b->limited)
		begin_period(b);
}

struct budget_counts budget_counts(const struct budget *b)
{
	return b->counts;
}
