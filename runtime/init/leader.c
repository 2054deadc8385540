/* SPDX-License-Identifier: Apache-2.0
 *
 * init's first thread: it receives messages of the supervisor, lets the other threads do what
 * they ask for, reaps, and reports which process has ended. It never exits because of an error.
 */
#include "runtime/init/leader.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"

/* How long the leader waits before it kills again the processes that are left. */
#define KILL_AGAIN_NS 2000000L
/* How many milliseconds it tries to send while the machine is short of memory. */
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
	/* The supervisor may be waiting for this message. Closing the channel ends its wait. */
	if (r < 0)
		shutdown(s->channel_fd, SHUT_RDWR);
}

void init_wait(sem_t *sem)
{
	while (sem_wait(sem) < 0)
		;
}

static void report_failure(struct init_state *s, const struct sl_err *err)
{
	struct init_msg m = { .type = INIT_FAILED };

	m.err = *err;
	init_report(s, &m);
}

static int have_done(struct init_state *s, enum init_job_kind kind, sem_t *by)
{
	s->job.kind = kind;
	sem_post(by);
	init_wait(&s->done);
	return s->job.result;
}

static void signal_children(struct init_state *s, int sig)
{
	s->job.signal = sig;
	have_done(s, JOB_SIGNAL, &s->to_domain);
}

/* Until here the domain thread shares the leader's table, in which it has made the listener. The
 * leader continues with a copy of the table. No process has been forked yet. */
static int confine_leader(
	struct init_state *s, const struct init_msg *m, size_t n, struct sl_err *err)
{
	if (n != CONFINE_FDS || s->confined)
		return sl_err_set(err, EPROTO, "init: CONFINE");
	s->job.request = m;
	if (have_done(s, JOB_CONFINE, &s->to_domain) < 0) {
		*err = s->job.err;
		return -1;
	}
	s->listener_fd = s->job.listener_fd;
	if (unshare(CLONE_FILES) < 0)
		return sl_err_set(err, errno, "init: a table of descriptors of its own");
	s->confined = true;
	s->has_profile = m->confine.has_profile;
	return 0;
}

static void on_confine(struct init_state *s, const struct init_msg *m, size_t n)
{
	struct init_msg reply = { .type = INIT_CONFINED };
	struct sl_err err;

	if (confine_leader(s, m, n, &err) < 0) {
		report_failure(s, &err);
		return;
	}
	/* Only the number is sent: the supervisor fetches the descriptor. It stays open until
	 * SETTLED. */
	reply.listener = s->listener_fd;
	init_report(s, &reply);
}

static int leader_spawn(struct init_state *s, const struct init_msg *m, size_t n, pid_t *ret_pid,
	struct sl_err *err)
{
	struct init_child *child;

	if (n < SPAWN_FDS || n - SPAWN_FDS != m->spawn.n_preserve || !s->confined)
		return sl_err_set(err, EPROTO, "init: SPAWN");
	child = calloc(1, sizeof(*child));
	if (!child)
		return sl_err_set(err, ENOMEM, "init: SPAWN");
	s->job.request = m;
	if (have_done(s, JOB_SPAWN, &s->to_fetcher) < 0) {
		free(child);
		*err = s->job.err;
		return -1;
	}
	child->pid = *ret_pid = s->job.pid;
	child->is_main = m->spawn.is_main;
	child->next = s->children;
	s->children = child;
	return 0;
}

static void on_spawn(struct init_state *s, const struct init_msg *m, size_t n)
{
	struct init_msg reply = { .type = INIT_SPAWNED };
	struct sl_err err;

	if (leader_spawn(s, m, n, &reply.pid, &err) < 0)
		report_failure(s, &err);
	else
		init_report(s, &reply);
}

static struct init_child *find_child(struct init_state *s, pid_t pid)
{
	struct init_child *c = s->children;

	while (c && c->pid != pid)
		c = c->next;
	return c;
}

static void on_settled(struct init_state *s, pid_t pid)
{
	struct init_child *c = find_child(s, pid);

	if (!c)
		return;
	c->settled = true;
	if (c->is_main)
		drop_fd(&s->listener_fd);
}

static void act(struct init_state *s, const struct init_msg *m, size_t n)
{
	switch (m->type) {
	case INIT_CONFINE: on_confine(s, m, n); break;
	case INIT_SPAWN: on_spawn(s, m, n); break;
	case INIT_SETTLED: on_settled(s, m->pid); break;
	case INIT_SIGNAL_ALL: signal_children(s, m->signal); break;
	case INIT_END: s->ending = true; break;
	case INIT_HELLO:
	case INIT_CONFINED:
	case INIT_SPAWNED:
	case INIT_EXITED:
	case INIT_EMPTY:
	case INIT_FAILED: break; /* only init sends these */
	}
}

/* Receives one message. Returns false when the supervisor is gone. */
static bool on_message(struct init_state *s)
{
	struct init_msg m;
	int fds[IO_MAX_FDS];
	size_t n = 0;
	pid_t sender;
	ssize_t r = io_recv_from(s->channel_fd, &m, sizeof(m), fds, IO_MAX_FDS, &n, &sender);

	/* The message stays in the socket and is received at the next call. */
	if (r < 0 && (errno == EAGAIN || errno == ENOMEM || errno == ENOBUFS))
		return true;
	if (r < 0) {
		struct sl_err err;
		/* only this message is lost, later ones can be received */
		bool lost = errno == EMSGSIZE;

		sl_err_set(&err, errno, "init: hear from the supervisor");
		report_failure(s, &err);
		return lost;
	}
	if (r != (ssize_t)sizeof(m))
		return false;
	memcpy(s->job.fds, fds, n * sizeof(int));
	s->job.n_fds = n;
	if (sender == s->supervisor)
		act(s, &m, n);
	for (size_t i = 0; i < n; i++)
		close(fds[i]);
	return true;
}

static void forget_child(struct init_state *s, struct init_child *c)
{
	struct init_child **at = &s->children;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	free(c);
}

static bool child_has_ended(const siginfo_t *si)
{
	return si->si_code == CLD_EXITED || si->si_code == CLD_KILLED || si->si_code == CLD_DUMPED;
}

/* As of wait(2). */
static int status_of(const siginfo_t *si)
{
	if (si->si_code == CLD_EXITED)
		return W_EXITCODE(si->si_status, 0);
	return W_EXITCODE(0, si->si_status) | (si->si_code == CLD_DUMPED ? WCOREFLAG : 0);
}

static void report_end(struct init_state *s, struct init_child *c, const siginfo_t *si)
{
	struct init_msg m = { .type = INIT_EXITED };

	if (c->reported)
		return;
	c->reported = true;
	m.exited.pid = c->pid;
	m.exited.status = status_of(si);
	init_report(s, &m);
	s->ending |= c->is_main;
}

/* Reaps the children that have ended, up to the first that is not settled; the rest waits until
 * the supervisor sends SETTLED. Returns false when no child is left. */
static bool reap_children(struct init_state *s)
{
	for (;;) {
		siginfo_t si = { .si_pid = 0 };
		struct init_child *c;

		if (waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT | __WALL) < 0) {
			if (errno == EINTR)
				continue;
			return false;
		}
		if (si.si_pid == 0)
			return true;
		c = child_has_ended(&si) ? find_child(s, si.si_pid) : NULL;
		if (c)
			report_end(s, c, &si);
		if (c && !c->settled && !s->gone)
			return true;
		/* A stop of a traced child is no end; it is consumed here and otherwise ignored. */
		while (waitid(P_PID, (id_t)si.si_pid, &si, WEXITED | WNOHANG | __WALL) < 0 &&
			errno == EINTR)
			;
		if (c)
			forget_child(s, c);
	}
}

/* Waits for the end of a child or a message of the supervisor; timeout NULL: without limit. */
static void wait_for_event(struct init_state *s, int signal_fd, const struct timespec *timeout)
{
	struct pollfd p[2] = {
		{ .fd = signal_fd, .events = POLLIN },
		{ .fd = s->gone ? -1 : s->channel_fd, .events = POLLIN },
	};
	struct signalfd_siginfo si;

	if (ppoll(p, 2, timeout, NULL) <= 0)
		return;
	if (p[0].revents && read(signal_fd, &si, sizeof(si)) < 0)
		return; /* nothing to read: reap_children() runs in any case */
	if (p[1].revents && !on_message(s))
		s->gone = s->ending = true; /* without its supervisor the container ends */
}

void leader_loop(struct init_state *s, int signal_fd)
{
	const struct timespec again = { .tv_nsec = KILL_AGAIN_NS };

	for (;;) {
		bool children = reap_children(s);

		if (s->ending && !children)
			return;
		if (s->ending)
			signal_children(s, SIGKILL);
		wait_for_event(s, signal_fd, s->ending ? &again : NULL);
	}
}
