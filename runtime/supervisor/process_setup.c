/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits, priorities and the OOM score of a process that waits to be set up, while it still has
 * the runtime's user (prlimit64 asks for equal ids, or for a capability that root may lack). The
 * supervisor sets them from outside. So the child inside the domain does not need SYS_RESOURCE
 * and SYS_NICE, which another process of the container could otherwise steal from it at that
 * moment.
 */
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/plan/process.h"
#include "runtime/supervisor/internal.h"

#define IOPRIO_WHO_PROCESS 1
#define IOPRIO_CLASS_SHIFT 13

/* sched_setattr(2); the C library has no wrapper and the header clashes with <sched.h>. */
struct sched_attributes {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime;
	uint64_t deadline;
	uint64_t period;
};

static int set_rlimits(pid_t pid, const struct plan_process *p, struct sl_err *err)
{
	for (uint32_t i = 0; i < p->n_rlimits; i++) {
		struct rlimit64 l = { .rlim_cur = p->rlimits[i].soft,
			.rlim_max = p->rlimits[i].hard };

		if (syscall(SYS_prlimit64, pid, p->rlimits[i].resource, &l, NULL) < 0)
			return sl_err_set(err, errno, "process.rlimits: %s to %llu/%llu%s",
				spec_rlimit_name(p->rlimits[i].resource),
				(unsigned long long)l.rlim_cur, (unsigned long long)l.rlim_max,
				errno == EPERM ? " (raising a hard limit needs CAP_SYS_RESOURCE)"
					       : "");
	}
	return 0;
}

/* The affinity that the runtime has inherited from its caller is not meant for the container
 * (runc resets it as well). The kernel reduces the full set to what the cpuset allows. */
static int set_affinity(
	struct supervisor *s, pid_t pid, const struct plan_process *p, struct sl_err *err)
{
	const char *field =
		p->has_affinity ? "process.execCPUAffinity" : "linux.resources.cpu.cpus";
	cpu_set_t set = p->affinity;

	if (!p->has_affinity)
		memset(&set, 0xff, sizeof(set));
	if (cpu_narrow(s, &set, err) < 0)
		return sl_err_wrap(err, "%s", field);
	if (sched_setaffinity(pid, sizeof(set), &set) < 0 && (p->has_affinity || s->cpus_bound))
		return sl_err_set(err, errno, "%s", field);
	return 0;
}

static int set_scheduler(pid_t pid, const struct plan_process *p, struct sl_err *err)
{
	struct sched_attributes a = {
		.size = sizeof(a),
		.policy = p->scheduler.policy,
		.flags = p->scheduler.flags,
		.nice = p->scheduler.nice,
		.priority = p->scheduler.priority,
		.runtime = p->scheduler.runtime,
		.deadline = p->scheduler.deadline,
		.period = p->scheduler.period,
	};

	if (p->has_scheduler && syscall(SYS_sched_setattr, pid, &a, 0) < 0)
		return sl_err_set(err, errno, "process.scheduler");
	if (p->has_io_priority &&
		syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, pid,
			p->io_priority.class_ << IOPRIO_CLASS_SHIFT | p->io_priority.priority) < 0)
		return sl_err_set(err, errno, "process.ioPriority");
	return 0;
}

/* A value below the inherited one needs CAP_SYS_RESOURCE in the initial user namespace. runc
 * ignores the failure if it is in a user namespace; this runtime reports it always. */
static int set_oom_score(
	struct supervisor *s, pid_t pid, const struct plan_process *p, struct sl_err *err)
{
	char path[64], text[16];
	auto_fd int fd = -1;

	if (!p->has_oom_score_adj)
		return 0;
	snprintf(path, sizeof(path), "%d/oom_score_adj", pid);
	snprintf(text, sizeof(text), "%d", p->oom_score_adj);
	fd = openat(s->proc_fd, path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || io_write_all(fd, text, strlen(text)) < 0)
		return sl_err_set(err, errno, "process.oomScoreAdj: %d%s", p->oom_score_adj,
			errno == EACCES ? " (lowering it needs CAP_SYS_RESOURCE)" : "");
	return 0;
}

int process_setup(struct supervisor *s, pid_t pid, const struct plan_process *p, struct sl_err *err)
{
	if (set_rlimits(pid, p, err) < 0 || set_affinity(s, pid, p, err) < 0 ||
		set_scheduler(pid, p, err) < 0 || cpu_weigh(s, pid, err) < 0 ||
		set_oom_score(s, pid, p, err) < 0)
		return -1;
	return limits_set_up(s, pid, err);
}
