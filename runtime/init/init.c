/* SPDX-License-Identifier: Apache-2.0
 *
 * init's leader: set up, start the domain thread, reap until nothing is left.
 */
#include "runtime/init/init.h"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/keeper.h"
#include "runtime/base/signals.h"
#include "runtime/init/state.h"

/* Two pages of guard and a stack for small frames: init must stay small. */
#define DOMAIN_STACK ((size_t)128 * 1024)
/* How long the leader waits before it has the survivors of a kill killed again. */
#define KILL_AGAIN_NS 2000000L
/* A machine that is short of memory gets this many milliseconds. */
#define SEND_TRIES 1000

void init_report(struct init_state *s, const struct init_msg *m)
{
	ssize_t r;

	for (int tries = 0;; tries++) {
		const struct timespec nap = { .tv_nsec = 1000000L };

		r = send(s->channel_fd, m, sizeof(*m), MSG_NOSIGNAL);
		if (r >= 0 || tries == SEND_TRIES ||
			(errno != EINTR && errno != ENOBUFS && errno != ENOMEM))
			break;
		nanosleep(&nap, NULL);
	}
	/* The supervisor may be waiting for exactly this: an end it can see, a silence not. */
	if (r < 0)
		shutdown(s->channel_fd, SHUT_RDWR);
}

/* Keeps the channel, moved to descriptor 3, and nothing else: a directory or a pipe that
 * leaks in from the caller would be a way out or a reader that never sees the end. */
static int keep_only(int channel_fd)
{
	auto_fd int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null_fd < 0)
		return -1;
	for (int fd = 0; fd <= 2; fd++)
		if (dup2(null_fd, fd) < 0)
			return -1;
	if (channel_fd != 3 && dup3(channel_fd, 3, O_CLOEXEC) < 0)
		return -1;
	take_fd(&null_fd); /* swept with the rest */
	return close_range(4, ~0U, 0);
}

/* Here and not in each child: whatever the caller ignored, they inherit the default. In init
 * itself all signals are blocked, as they were in the supervisor. */
static void reset_dispositions(void)
{
	const struct sigaction dfl = { .sa_handler = SIG_DFL };

	for (int sig = 1; sig < NSIG; sig++)
		if (sig != SIGKILL && sig != SIGSTOP)
			sigaction(sig, &dfl, NULL);
}

static int start_domain_thread(struct init_state *s)
{
	pthread_attr_t attr;
	pthread_t thread;
	int rc;

	/* A second arena for the second thread would be more than all the rest of init. */
	mallopt(M_ARENA_MAX, 1);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, DOMAIN_STACK);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	rc = pthread_create(&thread, &attr, domain_main, s);
	pthread_attr_destroy(&attr);
	if (rc != 0)
		errno = rc;
	/* The first thread made has the C library open its own two signals in its maker. */
	return rc == 0 ? signals_block_all() : -1;
}

/* Takes a reaped process off the list of those to report. */
static bool forget_child(struct init_state *s, pid_t pid, bool *ret_main)
{
	struct init_child **at, *found = NULL;

	pthread_mutex_lock(&s->lock);
	for (at = &s->children; *at; at = &(*at)->next) {
		if ((*at)->pid == pid) {
			found = *at;
			*at = found->next;
			break;
		}
	}
	if (found && found->is_main)
		s->ending = true;
	pthread_mutex_unlock(&s->lock);
	if (!found)
		return false;
	*ret_main = found->is_main;
	free(found);
	return true;
}

static void wake_domain(struct init_state *s)
{
	eventfd_write(s->wake_fd, 1);
}

static bool has_children(void)
{
	siginfo_t si;

	return waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 || errno != ECHILD;
}

/* Reaps what has ended. Returns false when no child is left at all. */
static bool reap(struct init_state *s)
{
	for (;;) {
		int status;
		bool is_main = false;
		pid_t pid = waitpid(-1, &status, WNOHANG | __WALL);

		if (pid == 0)
			return true;
		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0)
			return false;
		/* A child that asked to be traced stops for us; that is its own affair. */
		if (WIFSTOPPED(status) || WIFCONTINUED(status))
			continue;
		if (forget_child(s, pid, &is_main)) {
			struct init_msg m = { .type = INIT_EXITED };

			m.exited.pid = pid;
			m.exited.status = status;
			init_report(s, &m);
			if (is_main && has_children())
				wake_domain(s);
		}
	}
}

static bool is_ending(struct init_state *s)
{
	bool ending;

	pthread_mutex_lock(&s->lock);
	ending = s->ending;
	pthread_mutex_unlock(&s->lock);
	return ending;
}

/* Waits for a child's end or for the domain thread; timeout NULL: for ever. */
static void leader_wait(struct init_state *s, int signal_fd, const struct timespec *timeout)
{
	struct pollfd p[2] = {
		{ .fd = signal_fd, .events = POLLIN },
		{ .fd = s->end_fd, .events = POLLIN },
	};
	struct signalfd_siginfo si;
	eventfd_t count;

	if (ppoll(p, 2, timeout, NULL) <= 0)
		return;
	if (p[0].revents && read(signal_fd, &si, sizeof(si)) < 0)
		return; /* spurious: reap() looks anyway */
	if (p[1].revents)
		eventfd_read(s->end_fd, &count);
}

static void leader_loop(struct init_state *s, int signal_fd)
{
	const struct timespec again = { .tv_nsec = KILL_AGAIN_NS };

	for (;;) {
		bool children = reap(s);
		bool ending = is_ending(s);

		if (ending && !children)
			return;
		if (ending)
			wake_domain(s);
		leader_wait(s, signal_fd, ending ? &again : NULL);
	}
}

static int open_wakers(struct init_state *s, int *ret_signal_fd)
{
	sigset_t chld;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	*ret_signal_fd = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
	s->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	s->end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return *ret_signal_fd < 0 || s->wake_fd < 0 || s->end_fd < 0 ? -1 : 0;
}

static _Noreturn void init_main(int channel_fd)
{
	/* Static: it outlives no one, but the detached thread must never see it vanish. */
	static struct init_state state = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct init_msg m = { .type = INIT_FAILED };
	int signal_fd;

	state.channel_fd = channel_fd;
	state.supervisor = getppid();
	reset_dispositions();
	if (keeper_become("sandlock:[init]", "sandlock:[init]") < 0 || keep_only(channel_fd) < 0) {
		sl_err_set(&m.err, errno, "init: set up");
		init_report(&state, &m);
		_exit(1);
	}
	state.channel_fd = 3;
	if (open_wakers(&state, &signal_fd) < 0 || start_domain_thread(&state) < 0) {
		sl_err_set(&m.err, errno, "init: start the domain thread");
		init_report(&state, &m);
		_exit(1);
	}
	leader_loop(&state, signal_fd);
	m.type = INIT_EMPTY;
	init_report(&state, &m);
	_exit(0);
}

int init_fork(int channel_fd, pid_t *ret_pid, struct sl_err *err)
{
	pid_t pid = fork();

	if (pid < 0)
		return sl_err_set(err, errno, "fork init");
	if (pid == 0)
		init_main(channel_fd);
	close(channel_fd);
	*ret_pid = pid;
	return 0;
}
