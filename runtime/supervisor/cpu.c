/* SPDX-License-Identifier: Apache-2.0
 *
 * The processors that the container runs on, and its weight (plan/cpu.h).
 *
 * The processes of a container that is bound to some processors cannot choose others: the filter
 * notifies the supervisor of each sched_setaffinity(2), and the supervisor removes the other
 * processors from the set, as the kernel does for a cpuset (cpuset(7)).
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/supervisor/internal.h"

/* All processors that the cpuset of the supervisor allows. The affinity that it has inherited is
 * not meant for the container and is restored. */
static int usable_set(cpu_set_t *ret)
{
	cpu_set_t own;

	if (sched_getaffinity(0, sizeof(own), &own) < 0)
		return -1;
	memset(ret, 0xff, sizeof(*ret));
	if (sched_setaffinity(0, sizeof(*ret), ret) < 0 ||
		sched_getaffinity(0, sizeof(*ret), ret) < 0)
		return -1;
	return sched_setaffinity(0, sizeof(own), &own);
}

/* By chance, so that containers spread over the processors: a pid would not do, because making a
 * container takes a fixed number of them, which can be a multiple of the number of processors. */
static unsigned int random_seed(void)
{
	unsigned int seed;

	return getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == (ssize_t)sizeof(seed)
		       ? seed
		       : (unsigned int)getpid();
}

/* The first processor depends on the seed: otherwise all containers would share the first ones. */
static void choose(const cpu_set_t *from, unsigned int n, unsigned int seed, cpu_set_t *ret)
{
	const unsigned int have = (unsigned int)CPU_COUNT(from);
	unsigned int skip = seed % have;

	CPU_ZERO(ret);
	for (int cpu = 0; n > 0; cpu = (cpu + 1) % CPU_SETSIZE) {
		if (!CPU_ISSET(cpu, from))
			continue;
		if (skip > 0) {
			skip--;
			continue;
		}
		CPU_SET(cpu, ret);
		n--;
	}
}

/* Returns whether the quota is below what the processors of the set can give. */
static bool needs_budget(const struct supervisor *s, const struct plan_cpu *plan)
{
	const uint64_t most_us = (uint64_t)CPU_COUNT(&s->cpus) * plan->period_us;

	return plan->quota_us > 0 && plan->quota_us < most_us;
}

static struct budget_share share_of(const struct supervisor *s, const struct plan_cpu *plan)
{
	return (struct budget_share){
		.quota_us = plan->quota_us,
		.period_us = plan->period_us,
		.cpus = (unsigned int)CPU_COUNT(&s->cpus),
	};
}

static int open_budget(struct supervisor *s, const struct plan_cpu *plan, struct sl_err *err)
{
	const struct budget_share share = share_of(s, plan);

	if (!needs_budget(s, plan))
		return 0;
	s->budget = budget_open(&s->members, &s->loop, &share);
	return s->budget ? 0 : sl_err_set(err, errno, "linux.resources.cpu.quota");
}

/* Chooses the processors for the plan. */
static int choose_set(
	const struct supervisor *s, const struct plan_cpu *plan, cpu_set_t *ret, struct sl_err *err)
{
	const unsigned int n = s->cpus_bound ? plan_cpu_cores(plan) : 0;
	cpu_set_t usable;

	if (usable_set(&usable) < 0)
		return sl_err_set(err, errno, "linux.resources.cpu: the usable processors");
	if (plan->has_set)
		CPU_AND(&usable, &usable, &plan->set);
	if (CPU_COUNT(&usable) == 0)
		return sl_err_set(err, EINVAL,
			"linux.resources.cpu.cpus: none of them can be used here (cpuset(7))");
	if (n > 0 && n < (unsigned int)CPU_COUNT(&usable))
		choose(&usable, n, random_seed(), ret);
	else
		*ret = usable;
	return 0;
}

int cpu_open(struct supervisor *s, const struct plan_cpu *plan, struct sl_err *err)
{
	s->cpus_bound = plan_cpu_binds(plan);
	if (!s->cpus_bound)
		return 0;
	return choose_set(s, plan, &s->cpus, err) < 0 ? -1 : open_budget(s, plan, err);
}

int cpu_narrow(const struct supervisor *s, cpu_set_t *set, struct sl_err *err)
{
	if (!s->cpus_bound)
		return 0;
	CPU_AND(set, set, &s->cpus);
	if (CPU_COUNT(set) == 0)
		return sl_err_set(err, EINVAL, "none of the container's processors is among them");
	return 0;
}

/* Where the kernel groups by session (sched(7), "The autogroup feature") the nice value of a
 * process counts only within its session, and the nice value of the group counts against other
 * sessions. Without autogroup the file does not exist, and nothing is to be done. */
static int weigh_session(struct supervisor *s, pid_t pid, int nice, struct sl_err *err)
{
	char path[32], text[16];
	auto_fd int fd = -1;

	snprintf(path, sizeof(path), "%d/autogroup", pid);
	snprintf(text, sizeof(text), "%d", nice);
	fd = openat(s->proc_fd, path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return 0;
	if ((fd < 0 || io_write_all(fd, text, strlen(text)) < 0) && errno != EINVAL &&
		errno != EAGAIN)
		return sl_err_set(err, errno, "write %s", path);
	return 0;
}

static int nice_within(int nice)
{
	return nice < -20 ? -20 : nice > 19 ? 19 : nice;
}

int cpu_weigh(struct supervisor *s, pid_t pid, struct sl_err *err)
{
	static const struct sched_param none;
	const struct plan_cpu *c = &s->limits.cpu;
	int nice;

	if (c->idle && sched_setscheduler(pid, SCHED_IDLE, &none) < 0)
		return sl_err_set(err, errno, "linux.resources.cpu.idle");
	if (c->nice == 0)
		return 0;
	nice = nice_within(getpriority(PRIO_PROCESS, (id_t)pid) + c->nice);
	if (setpriority(PRIO_PROCESS, (id_t)pid, nice) < 0)
		return sl_err_set(err, errno, "linux.resources.cpu.shares: a nice value of %d%s",
			nice, errno == EACCES ? " (more than 1024 needs CAP_SYS_NICE)" : "");
	if (weigh_session(s, pid, nice, err) < 0)
		return sl_err_wrap(err, "linux.resources.cpu.shares");
	return 0;
}

/* The change from one plan to another, which is applied to every thread of the container. */
struct cpu_change {
	const struct supervisor *s;
	const cpu_set_t *old_set; /* NULL: the container is not bound to processors */
	int old_nice, nice;       /* for a thread that has not changed its nice value itself */
	/* the second pass: a thread with a nice value of its own has been changed already */
	bool again;
	bool idle_changes, idle;
	bool failed;
};

/* As the kernel does when a cpuset changes: a thread that had chosen some of the processors
 * keeps those that are left. */
static void change_set(const struct cpu_change *ch, pid_t tid)
{
	cpu_set_t has, set;

	if (sched_getaffinity(tid, sizeof(has), &has) < 0)
		return;
	CPU_AND(&set, &has, &ch->s->cpus);
	if (CPU_EQUAL(&has, ch->old_set) || CPU_COUNT(&set) == 0)
		set = ch->s->cpus;
	sched_setaffinity(tid, sizeof(set), &set);
}

static int change_nice(const struct cpu_change *ch, pid_t tid)
{
	int now = getpriority(PRIO_PROCESS, (id_t)tid);

	if (now == ch->nice || (ch->again && now != ch->old_nice))
		return 0;
	return setpriority(PRIO_PROCESS, (id_t)tid, nice_within(now + ch->nice - ch->old_nice));
}

static bool change_thread(int task_fd, const char *tid, void *ctx)
{
	static const struct sched_param none;
	struct cpu_change *ch = ctx;
	const pid_t id = (pid_t)strtol(tid, NULL, 10);

	(void)task_fd;
	if (ch->old_set)
		change_set(ch, id);
	if (ch->nice != ch->old_nice && change_nice(ch, id) < 0 && errno != ESRCH)
		ch->failed = true;
	if (ch->idle_changes &&
		sched_setscheduler(id, ch->idle ? SCHED_IDLE : SCHED_OTHER, &none) < 0 &&
		errno != ESRCH)
		ch->failed = true;
	return true;
}

static void change_member(struct member *p, void *ctx)
{
	members_each_thread(p->dir_fd, change_thread, ctx);
}

static struct plan_cpu changed_plan(const struct plan_cpu *old, const struct control_request *req)
{
	struct plan_cpu c = *old;

	if (req->cpu_fields & CONTROL_CPU_SET) {
		c.set = req->cpu_set;
		c.has_set = true;
	}
	if (req->cpu_fields & CONTROL_CPU_QUOTA)
		c.quota_us = req->cpu_quota_us;
	if (req->cpu_fields & CONTROL_CPU_PERIOD)
		c.period_us = req->cpu_period_us;
	if (req->cpu_fields & CONTROL_CPU_NICE)
		c.nice = req->cpu_nice;
	if (req->cpu_fields & CONTROL_CPU_IDLE)
		c.idle = req->cpu_idle;
	return c;
}

/* If the container is not bound to a set of processors, the budget alone enforces the quota. */
static int change_budget(struct supervisor *s, const struct plan_cpu *plan, struct sl_err *err)
{
	const struct budget_share share = share_of(s, plan);
	const bool fresh = !s->budget;

	if (!fresh) {
		budget_set(s->budget, needs_budget(s, plan) ? &share : NULL);
		return 0;
	}
	if (open_budget(s, plan, err) < 0)
		return -1;
	if (s->budget && s->life == LIFE_PAUSED)
		budget_hold(s->budget);
	if (s->budget && (s->life == LIFE_RUNNING || s->life == LIFE_PAUSED))
		budget_begin(s->budget);
	return 0;
}

int cpu_update(struct supervisor *s, const struct control_request *req, struct sl_err *err)
{
	const struct plan_cpu old = s->limits.cpu, plan = changed_plan(&old, req);
	const cpu_set_t old_set = s->cpus;
	struct cpu_change ch = {
		.s = s,
		.old_set = s->cpus_bound ? &old_set : NULL,
		.old_nice = nice_within(getpriority(PRIO_PROCESS, 0) + old.nice),
		.nice = nice_within(getpriority(PRIO_PROCESS, 0) + plan.nice),
		.idle_changes = plan.idle != old.idle,
		.idle = plan.idle,
	};

	if (req->cpu_fields == 0)
		return 0;
	if ((req->cpu_fields & CONTROL_CPU_SET) && !s->cpus_bound)
		return sl_err_set(err, 0,
			"linux.resources.cpu.cpus: the container was made for all processors, and "
			"its "
			"processes could take others; accepted: a container that was made with a "
			"limit of processors");
	if (choose_set(s, &plan, &s->cpus, err) < 0 || change_budget(s, &plan, err) < 0) {
		s->cpus = old_set;
		return -1;
	}
	s->limits.cpu = plan;
	/* Two passes, because threads can be created during the first. */
	for (int i = 0; i < 2; i++, ch.again = true)
		members_each(&s->members, MEMBERS_ANYWHERE, change_member, &ch);
	return ch.failed ? sl_err_set(err, EPERM, "linux.resources.cpu: some of its processes") : 0;
}
