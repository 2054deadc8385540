/* SPDX-License-Identifier: Apache-2.0
 *
 * The start of init: it closes what it does not need and starts its threads. leader.c goes on.
 */
#include "runtime/init/init.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/daemon.h"
#include "runtime/base/signals.h"
#include "runtime/init/leader.h"

/* The stack is for small frames, because init must stay small; the guard page comes on top. */
#define THREAD_STACK ((size_t)128 * 1024)

/* Moves the channel to descriptor 3 and closes everything else: an inherited directory would be
 * a way out of the container, and an inherited pipe would keep its reader waiting. */
static int keep_channel(int channel_fd)
{
	auto_fd int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null_fd < 0)
		return -1;
	for (int fd = 0; fd <= 2; fd++)
		if (dup2(null_fd, fd) < 0)
			return -1;
	if (channel_fd != 3 && dup3(channel_fd, 3, O_CLOEXEC) < 0)
		return -1;
	take_fd(&null_fd); /* close_range() closes it */
	return close_range(4, ~0U, 0);
}

/* Signal dispositions are reset here, so that no child has to do it: children get the default,
 * whatever the caller ignored. In init itself all signals are blocked, as in the supervisor. */
static void reset_dispositions(void)
{
	const struct sigaction dfl = { .sa_handler = SIG_DFL };

	for (int sig = 1; sig < NSIG; sig++)
		if (sig != SIGKILL && sig != SIGSTOP)
			sigaction(sig, &dfl, NULL);
}

static int start_thread(struct init_state *s, void *(*life)(void *arg))
{
	pthread_attr_t attr;
	pthread_t thread;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, THREAD_STACK);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	rc = pthread_create(&thread, &attr, life, s);
	pthread_attr_destroy(&attr);
	if (rc != 0) {
		errno = rc;
		return -1;
	}
	/* Waits until the thread has stored its id and blocked its signals. */
	init_wait(&s->done);
	return 0;
}

static int start_threads(struct init_state *s)
{
	sem_init(&s->to_domain, 0, 0);
	sem_init(&s->to_fetcher, 0, 0);
	sem_init(&s->done, 0, 0);
	/* A second malloc arena for the other threads would be larger than the rest of init. */
	mallopt(M_ARENA_MAX, 1);
	if (start_thread(s, domain_main) < 0 || start_thread(s, fetch_main) < 0)
		return -1;
	/* With the first new thread the C library unblocks its two internal signals in the
	 * creator. */
	return signals_block_all();
}

static int open_signal_fd(void)
{
	sigset_t chld;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	return signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int make_namespace(const struct init_namespace *ns)
{
	if (ns->empty_fd < 0)
		return 0;
	if (setns(ns->empty_fd, CLONE_NEWNS) < 0 || (!ns->once && unshare(CLONE_NEWNS) < 0))
		return -1;
	return fchdir(ns->root_fd) < 0 ? -1 : chroot(".");
}

static _Noreturn void init_main(int channel_fd, const struct init_namespace *ns)
{
	/* Static, because the detached threads use it until init exits. */
	static struct init_state state = { .listener_fd = -1 };
	struct init_msg m = { .type = INIT_FAILED };
	int signal_fd;

	state.channel_fd = channel_fd;
	state.supervisor = getppid();
	reset_dispositions();
	if (make_namespace(ns) < 0) {
		sl_err_set(&m.err, errno, "rootfs.mode namespace: copy the empty mount namespace");
		init_report(&state, &m);
		_exit(1);
	}
	if (daemon_become("sandlock:[init]", "sandlock:[init]") < 0 ||
		keep_channel(channel_fd) < 0) {
		sl_err_set(&m.err, errno, "init: set up");
		init_report(&state, &m);
		_exit(1);
	}
	state.channel_fd = 3;
	signal_fd = open_signal_fd();
	if (signal_fd < 0 || start_threads(&state) < 0) {
		sl_err_set(&m.err, errno, "init: start its threads");
		init_report(&state, &m);
		_exit(1);
	}
	m.type = INIT_HELLO;
	m.tid = state.domain_tid;
	init_report(&state, &m);
	leader_loop(&state, signal_fd);
	m.type = INIT_EMPTY;
	init_report(&state, &m);
	_exit(0);
}

int init_fork(int channel_fd, const struct init_namespace *ns, pid_t *ret_pid, struct sl_err *err)
{
	pid_t pid = fork();

	if (pid < 0)
		return sl_err_set(err, errno, "fork init");
	if (pid == 0)
		init_main(channel_fd, ns);
	close(channel_fd);
	*ret_pid = pid;
	return 0;
}
