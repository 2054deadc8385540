/* SPDX-License-Identifier: Apache-2.0
 *
 * setpriority, sched_set*, ioprio_set and prlimit64 aimed at another process: Landlock does not
 * fence them (only signals and ptrace), so they may name members only.
 *
 * They are done here, with the caller's user and rights. Let go on in the kernel such a call would
 * name whoever has the number by then, and a caller that keeps itself from its processor (idle
 * class, busy neighbours) decides how long that is: long enough for the number to become that of a
 * process of the host. Here it is the time between two calls of a supervisor that is served first.
 * The numbers of the caller and of its process are held by the caller.
 *
 * Of a caller with capabilities only limits are set here: for priorities the kernel asks whether
 * what the target has is among what the caller has (cap_safe_nice() in security/commoncap.c), and
 * we have others. The same question keeps such a caller from processes of the host with more.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/caller/caller.h"
#include "runtime/supervisor/supervisor.h"

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL /* 6.9 */
#endif

#define ATTR_SIZE_FIRST 48   /* sched_setattr(2): of its first version */
#define ATTR_SIZE_MAX   4096 /* and the kernel's own bound, one page */

/* What the caller's pointer leads to, read once. */
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

/* The process is there, or what the number means cannot be held on to (before 6.9, a thread). */
static bool is_there(int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	return pidfd < 0 || poll(&p, 1, 0) == 0;
}

static long act_at_once(const struct notif_call *c, const struct caller *who, int pidfd,
	pid_t target, struct payload *p, void *old)
{
	struct act as = { .who = who,
		.account = who->uid,
		.caps = who->caps & (1ULL << CAP_SYS_NICE | 1ULL << CAP_SYS_RESOURCE) };
	long rc = -1;

	if (act_begin(&as) < 0)
		return -1;
	errno = ESRCH;
	if (is_there(pidfd))
		rc = perform(c, target, p, old);
	act_end(&as);
	return rc;
}

static long act_on(struct supervisor *s, const struct notif_call *c, const struct caller *who,
	pid_t target, void *old)
{
	auto_fd int pidfd = (int)syscall(SYS_pidfd_open, target, PIDFD_THREAD);
	int nice = getpriority(PRIO_PROCESS, 0), saved;
	struct payload p;
	long rc;

	if ((pidfd < 0 && errno != EINVAL) || !members_has(&s->members, target)) {
		errno = EPERM;
		return -1;
	}
	if (read_payload(c, &p) < 0)
		return -1;
	setpriority(PRIO_PROCESS, 0, -20);
	rc = act_at_once(c, who, pidfd, target, &p, old);
	saved = errno;
	setpriority(PRIO_PROCESS, 0, nice);
	errno = saved;
	return rc;
}

void aimed_on_call(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	struct supervisor *s = ctx;
	pid_t target = (pid_t)(int32_t)c->args[c->row->arg];
	struct rlimit64 old;
	const bool tells = c->nr == SYS_prlimit64 && c->args[3] != 0;
	struct caller who;
	long rc;

	if (target <= 0) {
		notif_deny(v, EPERM);
		return;
	}
	if (caller_read(c, &who) < 0) {
		notif_deny(v, errno);
		return;
	}
	if (target == c->pid || target == who.tgid) {
		notif_continue(v, NOTIF_SCALAR_ARGS);
		return;
	}
	if (who.caps != 0 && c->nr != SYS_prlimit64) {
		if (members_has(&s->members, target))
			notif_continue(v, NOTIF_SCALAR_ARGS);
		else
			notif_deny(v, EPERM);
		return;
	}
	rc = act_on(s, c, &who, target, tells ? &old : NULL);
	if (rc < 0)
		notif_deny(v, errno);
	else if (tells && notif_write(c, c->args[3], &old, sizeof(old)) < 0)
		notif_deny(v, EFAULT);
	else
		notif_return(v, rc);
}
