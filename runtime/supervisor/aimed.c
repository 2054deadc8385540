/* SPDX-License-Identifier: Apache-2.0
 *
 * setpriority, sched_set*, ioprio_set and prlimit64 when they name another process. Landlock
 * restricts only signals and ptrace between processes, not these calls; so the supervisor
 * refuses them unless the target is a process of the container.
 *
 * The supervisor performs such a call itself, with the user and the capabilities of the caller.
 * If the call went on in the kernel, the target could end first and its pid could be reused by a
 * process of the host: the caller can delay its own call for as long as that takes (idle class,
 * busy neighbours). The supervisor runs at the highest priority between its check and the call,
 * so that there is practically no time for this. The pids of the caller itself cannot be reused,
 * because the caller waits for the answer.
 *
 * For priorities the kernel also checks that the caller has every capability that the target has
 * (cap_safe_nice() in security/commoncap.c). The supervisor has other capabilities than the
 * caller, so it makes this check itself, together with the checks that CAP_SYS_NICE skips,
 * before it acts with CAP_SYS_NICE. Only a call that needs real-time rights goes on in the
 * kernel.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/base/kernel.h"
#include "runtime/caller/caller.h"
#include "runtime/supervisor/internal.h"

#define ATTR_SIZE_FIRST 48   /* the size of the first version, sched_setattr(2) */
#define ATTR_SIZE_MAX   4096 /* the kernel's own limit, one page */

/* From linux/sched.h, which clashes with <sched.h>. */
#define FLAG_KEEP_POLICY 0x08
#define FLAG_KEEP_PARAMS 0x10
#ifndef SCHED_RESET_ON_FORK
#define SCHED_RESET_ON_FORK 0x40000000
#endif

/* What the pointer argument of the call points to, read once. */
struct payload {
	unsigned char bytes[ATTR_SIZE_MAX];
	size_t len;
};

static int read_attr(const struct notif_call *c, struct payload *p)
{
	uint32_t size;

	if (notif_read(c, c->args[1], &size, sizeof(size)) < 0)
		return -1;
	if (size == 0)
		size = ATTR_SIZE_FIRST;
	if (size < ATTR_SIZE_FIRST || size > sizeof(p->bytes)) {
		errno = E2BIG;
		return -1;
	}
	p->len = size;
	if (notif_read(c, c->args[1], p->bytes, size) < 0)
		return -1;
	memcpy(p->bytes, &size, sizeof(size));
	return 0;
}

static int read_payload(const struct notif_call *c, struct payload *p)
{
	uint64_t from = 0;

	p->len = 0;
	switch (c->nr) {
	case SYS_sched_setattr: return read_attr(c, p);
	case SYS_sched_setscheduler: from = c->args[2], p->len = sizeof(int); break;
	case SYS_sched_setparam: from = c->args[1], p->len = sizeof(int); break;
	case SYS_sched_setaffinity:
		from = c->args[2], p->len = (unsigned int)c->args[1];
		if (p->len > sizeof(p->bytes))
			p->len = sizeof(p->bytes);
		break;
	case SYS_prlimit64: from = c->args[2], p->len = from ? sizeof(struct rlimit64) : 0; break;
	default: break;
	}
	return p->len > 0 ? notif_read(c, from, p->bytes, p->len) : 0;
}

static long perform(const struct notif_call *c, pid_t target, struct payload *p, void *old)
{
	switch (c->nr) {
	case SYS_setpriority:
	case SYS_ioprio_set: return syscall(c->nr, c->args[0], target, c->args[2]);
	case SYS_sched_setscheduler: return syscall(c->nr, target, c->args[1], p->bytes);
	case SYS_sched_setparam: return syscall(c->nr, target, p->bytes);
	case SYS_sched_setattr: return syscall(c->nr, target, p->bytes, c->args[2]);
	case SYS_sched_setaffinity: return syscall(c->nr, target, p->len, p->bytes);
	case SYS_prlimit64:
		return syscall(c->nr, target, c->args[1], p->len ? p->bytes : NULL, old);
	default: errno = ENOSYS; return -1;
	}
}

/* The target has not ended. Before 6.9 there is no pidfd of a thread (-1), and this returns
 * true. */
static bool target_is_there(int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	return pidfd < 0 || poll(&p, 1, 0) == 0;
}

/* How the kernel would judge a caller without CAP_SYS_NICE, and what the supervisor does then. */
enum judged {
	JUDGED_YES,     /* allowed; the call has the same result with CAP_SYS_NICE */
	JUDGED_NO,      /* EPERM */
	JUDGED_NO_NICE, /* EACCES, setpriority(2) */
	JUDGED_NOT,     /* real-time rights are needed: the call goes on in the kernel */
};

static bool is_ordinary(int policy)
{
	return policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE;
}

/* can_nice() in kernel/sched/syscalls.c */
static bool may_be_nice(pid_t target, int nice)
{
	struct rlimit64 limit;

	errno = 0;
	return nice >= getpriority(PRIO_PROCESS, (id_t)target) ||
	       (syscall(SYS_prlimit64, target, RLIMIT_NICE, NULL, &limit) == 0 &&
		       (uint64_t)(20 - nice) <= limit.rlim_cur);
}

static enum judged judge_policy(pid_t target, int policy, int nice)
{
	const int now = sched_getscheduler(target);

	/* Every process may set SCHED_RESET_ON_FORK, so the flag is removed before the
	 * comparison. */
	if (now < 0) /* the target has ended */
		return JUDGED_NO;
	policy &= ~SCHED_RESET_ON_FORK;
	if (!is_ordinary(now) || !is_ordinary(policy))
		return JUDGED_NOT;
	if ((now == SCHED_IDLE && policy != SCHED_IDLE) || !may_be_nice(target, nice))
		return JUDGED_NO;
	return JUDGED_YES;
}

static enum judged judge_call(const struct notif_call *c, pid_t target, const struct payload *p)
{
	const int now = getpriority(PRIO_PROCESS, (id_t)target);
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
	} attr;
	int nice = (int)c->args[2];

	switch (c->nr) {
	case SYS_sched_setaffinity: return JUDGED_YES;
	case SYS_ioprio_set:
		return (int)c->args[2] >> 13 == 1 /* real time */ ? JUDGED_NO : JUDGED_YES;
	case SYS_setpriority:
		nice = nice < -20 ? -20 : nice > 19 ? 19 : nice;
		return may_be_nice(target, nice) ? JUDGED_YES : JUDGED_NO_NICE;
	case SYS_sched_setscheduler: return judge_policy(target, (int)c->args[1], now);
	case SYS_sched_setparam: return judge_policy(target, sched_getscheduler(target), now);
	case SYS_sched_setattr:
		memcpy(&attr, p->bytes, sizeof(attr));
		return judge_policy(target,
			attr.flags & FLAG_KEEP_POLICY ? sched_getscheduler(target)
						      : (int)attr.policy,
			attr.flags & FLAG_KEEP_PARAMS ? now : attr.nice);
	default: return JUDGED_NOT;
	}
}

/* The target has the same user as the caller, and no capability that the caller lacks. */
static bool is_below(const struct supervisor *s, const struct caller *who, pid_t target)
{
	struct proc_status its;

	if (proc_read_status(s->proc_fd, target, &its) < 0 ||
		(its.uid.real != who->uid && its.uid.effective != who->uid))
		return false;
	return !(its.permitted & ~who->permitted);
}

static enum judged judge_target(const struct supervisor *s, const struct notif_call *c,
	const struct caller *who, pid_t target, const struct payload *p)
{
	enum judged j;

	/* A caller without any capability acts with none here, so that the kernel gives its own
	 * answer. With CAP_SYS_NICE the kernel would allow the call as well. */
	if (c->nr == SYS_prlimit64 || who->caps == 0 || caller_has_cap(who, CAP_SYS_NICE))
		return JUDGED_YES;
	j = judge_call(c, target, p);
	return j != JUDGED_NOT && !is_below(s, who, target) ? JUDGED_NO : j;
}

static uint64_t lent_to(const struct notif_call *c, const struct caller *who)
{
	uint64_t caps = who->caps & (1ULL << CAP_SYS_NICE | 1ULL << CAP_SYS_RESOURCE);

	return who->caps != 0 && c->nr != SYS_prlimit64 ? caps | 1ULL << CAP_SYS_NICE : caps;
}

static long act_at_once(const struct notif_call *c, const struct caller *who, int pidfd,
	pid_t target, struct payload *p, void *old)
{
	struct act as = { .who = who, .account = who->uid, .caps = lent_to(c, who) };
	long rc = -1;

	if (act_begin(&as) < 0)
		return -1;
	errno = ESRCH;
	if (target_is_there(pidfd))
		rc = perform(c, target, p, old);
	act_end(&as);
	return rc;
}

static long act_first(const struct notif_call *c, const struct caller *who, int pidfd, pid_t target,
	struct payload *p, void *old)
{
	int nice = getpriority(PRIO_PROCESS, 0), saved;
	long rc;

	setpriority(PRIO_PROCESS, 0, -20);
	rc = act_at_once(c, who, pidfd, target, p, old);
	saved = errno;
	setpriority(PRIO_PROCESS, 0, nice);
	errno = saved;
	return rc;
}

/* For sched_setaffinity(2): removes the processors that the container may not use. The bytes
 * behind a cpu_set_t stand for processors that do not exist. */
static int narrow(const struct supervisor *s, struct payload *p)
{
	cpu_set_t set;
	struct sl_err err;
	const size_t len = p->len < sizeof(set) ? p->len : sizeof(set);

	CPU_ZERO(&set);
	memcpy(&set, p->bytes, len);
	if (cpu_narrow(s, &set, &err) < 0) {
		errno = err.code;
		return -1;
	}
	memcpy(p->bytes, &set, len);
	memset(p->bytes + len, 0, p->len - len);
	return 0;
}

static void on_other(struct supervisor *s, const struct notif_call *c, const struct caller *who,
	pid_t target, struct notif_verdict *v)
{
	const bool tells = c->nr == SYS_prlimit64 && c->args[3] != 0;
	auto_fd int pidfd = (int)syscall(SYS_pidfd_open, target, PIDFD_THREAD);
	struct rlimit64 old;
	struct payload p;
	long rc;

	if ((pidfd < 0 && errno != EINVAL) || !members_has(&s->members, target)) {
		notif_deny(v, EPERM);
		return;
	}
	if (read_payload(c, &p) < 0 ||
		(c->nr == SYS_sched_setaffinity && s->cpus_bound && narrow(s, &p) < 0)) {
		notif_deny(v, errno);
		return;
	}
	switch (judge_target(s, c, who, target, &p)) {
	case JUDGED_NO: notif_deny(v, EPERM); return;
	case JUDGED_NO_NICE: notif_deny(v, EACCES); return;
	case JUDGED_NOT: notif_continue(v, NOTIF_SCALAR_ARGS); return;
	case JUDGED_YES: break;
	}
	rc = act_first(c, who, pidfd, target, &p, tells ? &old : NULL);
	if (rc < 0)
		notif_deny(v, errno);
	else if (tells && notif_write(c, c->args[3], &old, sizeof(old)) < 0)
		notif_deny(v, EFAULT);
	else
		notif_return(v, rc);
}

void aimed_on_call(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	const struct supervisor *s = ctx;
	const bool judged = c->nr == SYS_sched_setaffinity && s->cpus_bound;
	pid_t target = (pid_t)(int32_t)c->args[c->row->arg];
	struct caller who;

	if (judged && target == 0)
		target = c->pid;
	if (target <= 0)
		notif_deny(v, EPERM);
	else if (caller_read(c, &who) < 0)
		notif_deny(v, errno);
	else if (!judged && (target == c->pid || target == who.tgid))
		notif_continue(v, NOTIF_SCALAR_ARGS);
	else
		on_other(ctx, c, &who, target, v);
}
