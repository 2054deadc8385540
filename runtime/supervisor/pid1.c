/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of the workload that name process 1. For the container process 1 is the main process;
 * for the kernel it is the host's first process, which no call from the container may reach. The
 * supervisor sends a signal if kill(2) allows it to the caller: it compares the user ids and
 * CAP_KILL, as proc(5) shows them while the caller waits. It does not know a Landlock domain
 * that the caller has put itself into, and does not check it. The signal has the caller's pid
 * and uid, and the code SI_QUEUE, because the kernel lets nobody send SI_USER for another
 * process.
 *
 * The supervisor holds a pidfd of the main process. Where it has to use the pid, it checks
 * afterwards that the main process has not been reaped; then the answer was right.
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

#define ANSWER_MAX 1024 /* enough for a set of 8192 processors */

/* The signal that a call asks for. */
struct wish {
	pid_t group;  /* 1, or the thread group that the call names */
	pid_t thread; /* 0: the signal goes to the process */
	int sig;
	bool queues; /* info is the address of a siginfo_t */
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
	/* EPERM: the process exists, but a runtime without CAP_KILL may not signal its user. */
	return pidfd_send_signal(s->main_fd, 0, NULL, 0) == 0 || errno == EPERM;
}

/* Returns whether tid is a thread of the main process. */
static bool is_main(const struct supervisor *s, pid_t tid)
{
	char path[48];
	struct stat st;

	snprintf(path, sizeof(path), "%d/task/%d", s->record.workload.pid, tid);
	return fstatat(s->proc_fd, path, &st, 0) == 0 && main_is_alive(s);
}

/* Returns a pidfd of this thread of the main process. It is checked, so that it is not of a
 * process that reuses the thread id. Before 6.9 it is the pidfd of the process, and the signal
 * goes to any thread. */
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

/* As kill_ok_by_cred() and check_kill_permission() in kernel/signal.c. No process of the
 * container can make a user namespace, so ids can be compared as numbers. */
bool pid1_may_signal(const struct proc_status *who, const struct proc_status *to, int sig)
{
	pid_t session;

	if (who->tgid == to->tgid || who->uid.effective == to->uid.saved ||
		who->uid.effective == to->uid.real || who->uid.real == to->uid.saved ||
		who->uid.real == to->uid.real || who->effective & 1ULL << CAP_KILL)
		return true;
	/* SIGCONT is allowed within a session. getsid() returns -1 for a process that has ended,
	 * and 0 for one whose session is in no pid namespace of ours: both mean no. */
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

/* Fills in what the caller gave, or what the kernel would say about the caller. */
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

/* Calls that ask about a process: the argument that holds the pid, the argument that points to
 * the answer (-1: the answer is the result), and the size of the answer. */
struct pid1_question {
	int nr;
	int8_t pid;
	int8_t out;
	uint16_t size; /* 0: the size that the call gives, at most ANSWER_MAX */
	int8_t which;  /* for calls whose first argument selects process, group or user */
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
		else if ((int)c->args[0] == q->which + 1) /* a process group: 1 is the host's */
			notif_deny(v, ESRCH);
		else
			notif_continue(v, NOTIF_SCALAR_ARGS); /* a user, or an invalid value */
		return;
	}
}

/* getpid() and getppid() are trapped if the bundle asks for it. For any process that is neither
 * the main process nor its child, the kernel answers. */
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
