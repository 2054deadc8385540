/* SPDX-License-Identifier: Apache-2.0
 *
 * Process 1 is the main process for its container, and for the kernel the host's first one, which
 * no call reaches from here. Signals are sent when the caller may send them by kill(2): by its user
 * ids and CAP_KILL, as proc(5) tells of it while it waits. A Landlock domain that the caller has
 * put itself into is not known here, and so is not asked. The signal has the caller's pid and
 * uid, and SI_QUEUE as its code: nobody may say SI_USER for somebody else.
 *
 * The main process is held by a pidfd. What has to be asked by its number is right when it has not
 * been reaped afterwards.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/ioprio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/kernel.h"
#include "runtime/supervisor/internal.h"

#define ANSWER_MAX 1024 /* a set of 8192 processors */

/* A signal that a call wants to be sent. */
struct wish {
	pid_t group;  /* 1, or what else the call says that it is */
	pid_t thread; /* 0: to the process */
	int sig;
	bool queues; /* with what it says at info */
	uint64_t info;
};

static struct wish read_wish(const struct notif_call *c)
{
	const uint64_t *a = c->args;
	struct wish w = { .group = 1 };

	switch (c->nr) {
	case SYS_kill:
	case SYS_rt_sigqueueinfo:
		w.sig = (int)a[1];
		w.queues = c->nr == SYS_rt_sigqueueinfo;
		w.info = a[2];
		break;
	case SYS_tkill:
		w.thread = 1;
		w.sig = (int)a[1];
		break;
	case SYS_tgkill:
	case SYS_rt_tgsigqueueinfo:
		w.group = (pid_t)a[0];
		w.thread = (pid_t)a[1];
		w.sig = (int)a[2];
		w.queues = c->nr == SYS_rt_tgsigqueueinfo;
		w.info = a[3];
		break;
	}
	return w;
}

static bool main_is_alive(const struct supervisor *s)
{
	/* EPERM: it is, and of another user, whom a runtime without CAP_KILL may not signal. */
	return pidfd_send_signal(s->main_fd, 0, NULL, 0) == 0 || errno == EPERM;
}

/* Whether it is a thread of the main process. */
static bool is_main(const struct supervisor *s, pid_t tid)
{
	char path[48];
	struct stat st;

	snprintf(path, sizeof(path), "%d/task/%d", s->record.workload.pid, tid);
	return fstatat(s->proc_fd, path, &st, 0) == 0 && main_is_alive(s);
}

/* Of the main process' thread and of nobody who gets its number. Before 6.9 a signal goes to any
 * thread of the process. */
static int open_thread(const struct supervisor *s, pid_t thread)
{
	const pid_t tid = thread == 1 ? s->record.workload.pid : thread;
	auto_fd int fd = (int)syscall(SYS_pidfd_open, tid, PIDFD_THREAD);

	if (fd < 0 && errno == EINVAL)
		fd = fcntl(s->main_fd, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return -1;
	if (!is_main(s, tid)) {
		errno = ESRCH;
		return -1;
	}
	return take_fd(&fd);
}

/* kill_ok_by_cred() and check_kill_permission() in kernel/signal.c. Nothing inside makes a user
 * namespace. */
bool pid1_may_signal(const struct proc_status *who, const struct proc_status *to, int sig)
{
	pid_t session;

	if (who->tgid == to->tgid || who->uid.effective == to->uid.saved ||
		who->uid.effective == to->uid.real || who->uid.real == to->uid.saved ||
		who->uid.real == to->uid.real || who->effective & 1ULL << CAP_KILL)
		return true;
	/* Not when it cannot be found out: -1 of a process that is gone, 0 of one that is in no pid
	 * namespace of ours. */
	session = sig == SIGCONT ? getsid(who->tgid) : -1;
	return session > 0 && session == getsid(to->tgid);
}

static int check_wish(const struct supervisor *s, const struct notif_call *c, const struct wish *w,
	struct proc_status *ret_who)
{
	const pid_t pid = s->record.workload.pid;
	struct proc_status to;

	errno = ESRCH;
	if (w->group != 1 && w->group != pid)
		return -1;
	if (proc_read_status(s->proc_fd, c->pid, ret_who) < 0 || !notif_waits(c) ||
		proc_read_status(s->proc_fd, pid, &to) < 0 || !main_is_alive(s)) {
		errno = ESRCH;
		return -1;
	}
	errno = EINVAL;
	if (w->sig < 0 || w->sig >= NSIG)
		return -1;
	errno = EPERM;
	return pid1_may_signal(ret_who, &to, w->sig) ? 0 : -1;
}

/* What the caller says of the signal, or what the kernel would say of the caller. */
static int fill_info(const struct notif_call *c, const struct wish *w,
	const struct proc_status *who, siginfo_t *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (!w->queues) {
		ret->si_code = SI_QUEUE;
		ret->si_pid = who->tgid;
		ret->si_uid = who->uid.real;
	} else if (notif_read(c, w->info, ret, sizeof(*ret)) < 0) {
		return -1;
	} else if (ret->si_code >= 0 || ret->si_code == SI_TKILL) {
		errno = EPERM;
		return -1;
	}
	ret->si_signo = w->sig;
	return 0;
}

static int send_signal(const struct supervisor *s, const struct notif_call *c)
{
	const struct wish w = read_wish(c);
	auto_fd int thread_fd = -1;
	struct proc_status who;
	siginfo_t info;

	if (w.group <= 0 || w.thread < 0 || (w.thread == 0 && c->row->verdict == VERDICT_TWO_IDS)) {
		errno = EINVAL;
		return -1;
	}
	if (check_wish(s, c, &w, &who) < 0 || fill_info(c, &w, &who, &info) < 0)
		return -1;
	if (w.thread == 0)
		return pidfd_send_signal(s->main_fd, w.sig, w.sig ? &info : NULL, 0);
	thread_fd = open_thread(s, w.thread);
	return thread_fd < 0 ? -1 : pidfd_send_signal(thread_fd, w.sig, w.sig ? &info : NULL, 0);
}

void pid1_on_signal(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	notif_result(v, send_signal(ctx, c));
}

void pid1_on_pidfd_open(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	const struct supervisor *s = ctx;
	auto_fd int fd =
		(int)syscall(SYS_pidfd_open, s->record.workload.pid, (unsigned int)c->args[1]);

	if (fd < 0)
		notif_deny(v, errno);
	else if (!main_is_alive(s))
		notif_deny(v, ESRCH);
	else
		notif_give(v, &fd, true);
}

/* Calls that tell something of a process: where its number stands, where the answer goes (-1: it
 * is the result) and how long that is. */
struct pid1_question {
	int nr;
	int8_t pid;
	int8_t out;
	uint16_t size; /* 0: as long as the call says, ANSWER_MAX at most */
	int8_t which;  /* for calls whose first argument says what the number is */
};

static const struct pid1_question questions[] = {
	{ SYS_getpgid, 0, -1, 0, -1 },
	{ SYS_getsid, 0, -1, 0, -1 },
	{ SYS_getpriority, 1, -1, 0, PRIO_PROCESS },
	{ SYS_ioprio_get, 1, -1, 0, IOPRIO_WHO_PROCESS },
	{ SYS_sched_getscheduler, 0, -1, 0, -1 },
	{ SYS_sched_getparam, 0, 1, sizeof(int), -1 },
	{ SYS_sched_rr_get_interval, 0, 1, sizeof(struct timespec), -1 },
	{ SYS_sched_getaffinity, 0, 2, 0, -1 },
	{ SYS_sched_getattr, 0, 1, 0, -1 },
};

static void tell_main(const struct supervisor *s, const struct notif_call *c,
	const struct pid1_question *q, struct notif_verdict *v)
{
	char answer[ANSWER_MAX] = { 0 };
	long a[4], result;
	size_t size = q->size;

	for (int i = 0; i < 4; i++)
		a[i] = (long)c->args[i];
	a[q->pid] = s->record.workload.pid;
	if (q->out >= 0 && a[q->out])
		a[q->out] = (long)answer;
	if (q->nr == SYS_sched_getaffinity && (unsigned int)a[1] > sizeof(answer))
		a[1] = sizeof(answer);
	if (q->nr == SYS_sched_getattr) {
		if ((unsigned int)a[2] > sizeof(answer))
			a[2] = sizeof(answer);
		size = (unsigned int)a[2];
	}
	result = syscall(q->nr, a[0], a[1], a[2], a[3]);
	if (q->nr == SYS_sched_getaffinity)
		size = (size_t)result;
	if (result < 0)
		notif_deny(v, errno);
	else if (!main_is_alive(s))
		notif_deny(v, ESRCH);
	else if (q->out >= 0 && notif_write(c, c->args[q->out], answer, size) < 0)
		notif_deny(v, EFAULT);
	else
		notif_return(v, result);
}

void pid1_on_question(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	const struct supervisor *s = ctx;

	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		const struct pid1_question *q = &questions[i];

		if (q->nr != c->nr)
			continue;
		if (q->which < 0 || (int)c->args[0] == q->which)
			tell_main(s, c, q, v);
		else if ((int)c->args[0] == q->which + 1) /* a group, and the host's */
			notif_deny(v, ESRCH);
		else
			notif_continue(v, NOTIF_SCALAR_ARGS); /* a user, or nothing */
		return;
	}
}

/* The next two where the bundle wants it so. Whoever else asks is answered by the kernel. */
void pid1_on_getpid(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	if (is_main(ctx, c->pid))
		notif_return(v, 1);
	else
		notif_continue(v, NOTIF_ONLY_ANSWERS);
}

void pid1_on_getppid(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	const struct supervisor *s = ctx;
	struct proc_stat st;

	if (is_main(s, c->pid))
		notif_return(v, 0);
	else if (proc_read_stat(s->proc_fd, c->pid, &st) == 0 &&
		 st.ppid == s->record.workload.pid && main_is_alive(s))
		notif_return(v, 1);
	else
		notif_continue(v, NOTIF_ONLY_ANSWERS);
}
