/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/notif/notif.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/kernel.h"

/* Linux 6.6; the headers may be older. */
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS      SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

void notif_return(struct notif_verdict *v, int64_t value)
{
	v->action = NOTIF_RETURN;
	v->value = value;
}

void notif_deny(struct notif_verdict *v, int error)
{
	v->action = NOTIF_DENY;
	v->error = error;
}

void notif_result(struct notif_verdict *v, int64_t rc)
{
	if (rc < 0)
		notif_deny(v, errno);
	else
		notif_return(v, rc);
}

void notif_continue(struct notif_verdict *v, enum notif_excuse excuse)
{
	v->action = excuse == NOTIF_NO_EXCUSE ? NOTIF_DENY : NOTIF_CONTINUE;
	v->excuse = excuse;
}

void notif_give(struct notif_verdict *v, int *fd, bool cloexec)
{
	v->action = NOTIF_FD;
	v->fd = take_fd(fd);
	v->cloexec = cloexec;
}

void notif_later(struct notif_verdict *v)
{
	v->action = NOTIF_LATER;
}

void notif_handle(struct notif *n, enum notify_kind kind, notif_handler handle, void *ctx)
{
	n->handlers[kind] = (struct notif_answerer){ handle, ctx };
}

/* Returns n_overrides when the call has no override. */
static size_t override_of(const struct notif *n, int nr)
{
	size_t i = 0;

	while (i < n->n_overrides && n->override_nr[i] != nr)
		i++;
	return i;
}

int notif_override(struct notif *n, int nr, notif_handler handle, void *ctx)
{
	const size_t i = override_of(n, nr);

	if (i == NOTIF_OVERRIDES_MAX) {
		errno = ENOSPC;
		return -1;
	}
	n->override_nr[i] = (int16_t)nr;
	n->overrides[i] = (struct notif_answerer){ handle, ctx };
	if (i == n->n_overrides)
		n->n_overrides++;
	return 0;
}

/* Calls the handler. A call without a handler is denied, and so is a number without a row, for
 * which the filter sends no notification. */
static void have_answered(
	const struct notif *n, const struct notif_call *c, struct notif_verdict *v)
{
	const size_t i = override_of(n, c->nr);
	const struct notif_answerer *a;

	if (!c->row)
		return;
	a = i < n->n_overrides ? &n->overrides[i] : &n->handlers[c->row->notify];
	if (a->handle)
		a->handle(c, v, a->ctx);
}

void notif_open(struct notif *n, int listener_fd, int proc_fd)
{
	memset(n, 0, sizeof(*n));
	n->listener_fd = listener_fd;
	n->proc_fd = proc_fd;
	/* On an idle machine the flag makes round trips ten times cheaper. An older kernel returns
	 * EINVAL. */
	ioctl(listener_fd, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
}

/* An ioctl that a signal interrupts, because another process uses the listener at the moment, is
 * repeated. */
static int tell_listener(int listener_fd, unsigned long what, void *arg)
{
	int rc;

	do
		rc = ioctl(listener_fd, what, arg);
	while (rc < 0 && errno == EINTR);
	return rc;
}

bool notif_waits(const struct notif_call *c)
{
	uint64_t id = c->id;

	return tell_listener(c->listener_fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

/* A thread may have its own descriptor table. Before Linux 6.9 a pidfd can only be opened for the
 * leader of the thread group, and then the leader's descriptors are used for the decision and the
 * call. */
int notif_pidfd(const struct notif_call *c)
{
	auto_fd int fd = (int)syscall(SYS_pidfd_open, c->pid, PIDFD_THREAD);

	if (fd < 0 && errno == EINVAL)
		fd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	if (fd < 0)
		return -1;
	/* From now on the pidfd certainly refers to the process that called. */
	if (!notif_waits(c)) {
		errno = ESRCH;
		return -1;
	}
	return take_fd(&fd);
}

static int duplicate(int pidfd, int fd)
{
	return (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
}

/* Finds the slot of the caller, or an empty one for it. */
static size_t find_slot(struct notif_pidfds *p, pid_t pid)
{
	size_t i = 0;

	while (i < NOTIF_PIDFDS && p->of[i].pid != pid)
		i++;
	if (i < NOTIF_PIDFDS)
		return i;
	i = p->next++ % NOTIF_PIDFDS;
	if (p->of[i].pid != 0)
		close(p->of[i].fd);
	p->of[i].pid = 0;
	return i;
}

/* Reads the link /proc/pid/fd/N, see proc(5). */
static bool is_socket_of(const struct notif_call *c, int fd)
{
	static const char prefix[] = "socket:[";
	char path[48], to[sizeof(prefix)];

	snprintf(path, sizeof(path), "%d/fd/%d", (int)c->pid, fd);
	return readlinkat(c->proc_fd, path, to, sizeof(to)) >= (ssize_t)sizeof(prefix) &&
	       memcmp(to, prefix, sizeof(prefix) - 1) == 0;
}

int notif_take_fd(const struct notif_call *c, int fd)
{
	const size_t slot = find_slot(c->pidfds, c->pid);
	auto_fd int got = -1;

	/* This descriptor would have to be closed by a child process, and the child for an earlier
	 * one has not finished. */
	if (brief_is_stuck(c->brief) && !is_socket_of(c, fd)) {
		errno = EIO;
		return -1;
	}
	if (c->pidfds->of[slot].pid != 0) {
		got = duplicate(c->pidfds->of[slot].fd, fd);
		if (got < 0 && errno != ESRCH)
			return -1;
		if (got < 0) {
			close(c->pidfds->of[slot].fd);
			c->pidfds->of[slot].pid = 0;
		}
	}
	if (got < 0) {
		auto_fd int pidfd = notif_pidfd(c);

		got = pidfd < 0 ? -1 : duplicate(pidfd, fd);
		if (got < 0)
			return -1;
		c->pidfds->of[slot].pid = c->pid;
		c->pidfds->of[slot].fd = take_fd(&pidfd);
	}
	return take_fd(&got);
}

/* Adds the descriptor to the caller first, then answers with its number. One step would not be
 * safe: with SECCOMP_ADDFD_FLAG_SEND, a signal to the supervisor (of a timer, or after the machine
 * was suspended) can take the descriptor back but leave the answer, so the call returns 0 and the
 * program continues with its standard input. */
static int hand_over(const struct notif_call *c, const struct notif_verdict *v)
{
	auto_fd int fd = v->fd;
	struct seccomp_notif_addfd add = {
		.id = c->id,
		.srcfd = (uint32_t)fd,
		.newfd_flags = v->cloexec ? O_CLOEXEC : 0,
	};

	return tell_listener(c->listener_fd, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
}

void notif_answer(const struct notif_call *c, const struct notif_verdict *v)
{
	struct seccomp_notif_resp resp = { .id = c->id };

	switch (v->action) {
	case NOTIF_DENY: resp.error = -(v->error ? v->error : EPERM); break;
	case NOTIF_RETURN: resp.val = v->value; break;
	case NOTIF_CONTINUE: resp.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE; break;
	case NOTIF_FD:
		resp.val = hand_over(c, v);
		if (resp.val < 0)
			resp = (struct seccomp_notif_resp){ .id = c->id, .error = -errno };
		break;
	case NOTIF_LATER: return;
	}
	/* ENOENT means that the caller was killed, so nobody waits for the answer. After any other
	 * error the call is denied, because the caller must not wait for ever. */
	if (tell_listener(c->listener_fd, SECCOMP_IOCTL_NOTIF_SEND, &resp) == 0 || errno == ENOENT)
		return;
	resp = (struct seccomp_notif_resp){ .id = c->id, .error = -EPERM };
	tell_listener(c->listener_fd, SECCOMP_IOCTL_NOTIF_SEND, &resp);
}

static void count_call(struct notif *n, int nr)
{
	n->total++;
	if (nr >= 0 && nr < NOTIF_NR_END)
		n->counts[nr]++;
}

bool notif_serve(struct notif *n, uint32_t events)
{
	struct notif_verdict v = { 0 };
	struct seccomp_notif req;
	struct notif_call c;

	if (!(events & POLLIN))
		return !(events & (POLLHUP | POLLERR));
	memset(&req, 0, sizeof(req));
	/* RECV does not block here: every notification stays until a RECV takes it, or returns
	 * ENOENT because the caller has died. */
	if (ioctl(n->listener_fd, SECCOMP_IOCTL_NOTIF_RECV, &req) < 0)
		return true; /* ENOENT, EINTR: serve the next one */
	count_call(n, req.data.nr);
	c.pidfds = &n->pidfds;
	c.brief = &n->brief;
	c.listener_fd = n->listener_fd;
	c.proc_fd = n->proc_fd;
	c.id = req.id;
	c.pid = (pid_t)req.pid;
	c.nr = req.data.nr;
	memcpy(c.args, req.data.args, sizeof(c.args));
	c.row = syscall_row(c.nr);
	have_answered(n, &c, &v);
	notif_answer(&c, &v);
	return true;
}
