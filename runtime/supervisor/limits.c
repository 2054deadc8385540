/* SPDX-License-Identifier: Apache-2.0
 *
 * Where limits meet the container: what is counted and measured is in runtime/limits.
 */
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "runtime/supervisor/internal.h"

int limits_open(
	struct supervisor *s, const struct plan_limits *plan, pid_t init_tid, struct sl_err *err)
{
	const struct tasks_setup tasks = {
		.members = &s->members,
		.loop = &s->loop,
		.init_tid = init_tid,
		.limit = plan->tasks,
	};

	s->limits = *plan;
	if (plan->tasks == UINT64_MAX)
		return 0;
	s->tasks = tasks_open(&tasks);
	return s->tasks ? 0 : sl_err_set(err, errno, "linux.resources.pids.limit");
}

/* Never raised: a limit is what the process may have at most. */
int limits_set_up(const struct supervisor *s, pid_t pid, struct sl_err *err)
{
	const uint64_t most = s->limits.open_files;
	struct rlimit64 l;

	if (most == UINT64_MAX)
		return 0;
	if (syscall(SYS_prlimit64, pid, RLIMIT_NOFILE, NULL, &l) < 0)
		return sl_err_set(err, errno, "io.sandlock.limits.open_files");
	l.rlim_max = l.rlim_max < most ? l.rlim_max : most;
	l.rlim_cur = l.rlim_cur < l.rlim_max ? l.rlim_cur : l.rlim_max;
	if (syscall(SYS_prlimit64, pid, RLIMIT_NOFILE, &l, NULL) < 0)
		return sl_err_set(err, errno, "io.sandlock.limits.open_files");
	return 0;
}

/* What timeout(1) says. */
static void on_timeout(struct loop_timer *t)
{
	struct supervisor *s = LOOP_OWNER(t, struct supervisor, timeout);
	const struct init_msg m = { .type = INIT_END };

	s->timed_out = !s->main_ended;
	init_link_send(s, &m);
}

void limits_begin(struct supervisor *s)
{
	if (s->limits.timeout_s > 0)
		loop_set_timer(&s->loop, &s->timeout,
			loop_now_ms() + (int64_t)s->limits.timeout_s * 1000, on_timeout);
}

/* Both are asked about the same calls. The net's answer is that it has taken notice. */
void limits_on_fork(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	struct supervisor *s = ctx;
	const uint64_t shares = c->args[0] & (CLONE_FILES | CLONE_THREAD);

	if (s->net && c->nr == SYS_clone && shares == CLONE_FILES)
		net_on_clone(c, v, s->net);
	if (s->tasks)
		tasks_on_fork(c, v, s->tasks);
	else
		notif_continue(v, NOTIF_SCALAR_ARGS);
}
