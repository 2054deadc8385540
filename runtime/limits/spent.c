/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/limits/spent.h"

#include <unistd.h>

#define SECOND_NS 1000000000ULL

/* How often the processes are read until none is created or ends meanwhile. If that never
 * happens, the last result is used. */
#define SPENT_LOOKS_MAX 2

struct spent_sums {
	struct activity *activity;
	pid_t init;
	uint64_t tick_ns;
	uint64_t ns;
	uint64_t n;
};

uint64_t spent_count(struct spent *s, uint64_t sum_ns, uint64_t n, bool steady)
{
	const uint64_t blur_ns = 2 * (n + 1) * (SECOND_NS / (uint64_t)sysconf(_SC_CLK_TCK));
	const uint64_t total = sum_ns + s->lost_ns;

	if (total > s->told_ns)
		s->told_ns = total;
	else if (steady && total + blur_ns < s->told_ns)
		s->lost_ns += s->told_ns - total;
	return s->told_ns;
}

/* The clock is read by pid. If the directory can be read afterwards, it was the clock of this
 * process. init's own time does not count, but the time of the children that init has reaped
 * does. */
static void add_spent(struct member *p, void *ctx)
{
	struct spent_sums *l = ctx;
	struct proc_stat st;
	uint64_t own = activity_note(l->activity, p->pid);

	if (p->pid == l->init)
		own = 0;
	if (proc_read_stat_at(p->dir_fd, &st) < 0)
		return;
	l->ns += own;
	l->ns += (st.waited_user_ticks + st.waited_system_ticks) * l->tick_ns;
	l->n++;
}

static bool is_below_supervisor(const struct members *m, const struct member *p)
{
	(void)m;
	(void)p;
	return true;
}

uint64_t spent_look(struct spent *s, const struct members *m)
{
	const uint64_t tick_ns = SECOND_NS / (uint64_t)sysconf(_SC_CLK_TCK);
	struct members below = *m;
	struct spent_sums l;
	int n = -1;

	if (!activity_has_run(&s->activity))
		return s->told_ns;

	/* Zombies and init are read too, as in usage.c. */
	below.test = is_below_supervisor;
	below.init.pid = 0;
	for (int i = 0; i < SPENT_LOOKS_MAX && n < 0; i++) {
		l = (struct spent_sums){ &s->activity, .init = m->init.pid, .tick_ns = tick_ns };
		activity_begin(&s->activity);
		n = members_each(&below, MEMBERS_BELOW_SUPERVISOR, add_spent, &l);
	}
	s->activity.complete &= n >= 0;
	return spent_count(s, l.ns, l.n, n >= 0);
}
