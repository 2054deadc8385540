/* SPDX-License-Identifier: Apache-2.0
 *
 * A bound of our own for every call on a descriptor that a container has as well. What bounds
 * such a call by the socket's properties (O_NONBLOCK, SO_SNDTIMEO, SO_LINGER) another thread of
 * the container can lift meanwhile; a signal to ourselves it cannot. While trapped calls are
 * answered the signal comes every few milliseconds, and it is let through then only, so that
 * nothing else of the supervisor is interrupted. One that comes between is read from the
 * supervisor's signalfd(2), and dropped.
 *
 * Setting a timer costs more than most calls: it goes on until it was not needed for a while.
 */
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include "runtime/net/act/act.h"

/* Longer than any call that is not held up, shorter than anybody notices. */
#define GUARD_NS 10000000L

/* The same for a connect that is known to wait: longer than a connection on this machine takes. */
#define ALARM_NS     100000L
#define ALARM_SIGNAL (SIGRTMIN + 7)

static void on_alarm(int sig)
{
	(void)sig;
}

static void let_through(bool on)
{
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, ALARM_SIGNAL);
	sigprocmask(on ? SIG_UNBLOCK : SIG_BLOCK, &one, NULL);
}

int guard_open(struct guard *g)
{
	struct sigaction act = { .sa_handler = on_alarm }; /* without SA_RESTART */
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = ALARM_SIGNAL };

	let_through(false);
	return sigaction(ALARM_SIGNAL, &act, NULL) < 0 ||
			       timer_create(CLOCK_MONOTONIC, &ev, &g->alarm) < 0
		       ? -1
		       : 0;
}

/* Interval: a signal that comes before the call has begun must not be the last one. */
static void set_alarm(struct guard *g, long ns)
{
	const struct itimerspec t = { { 0, ns }, { 0, ns } };

	timer_settime(g->alarm, 0, &t, NULL);
	g->alarmed = ns == GUARD_NS;
}

void guard_set(struct guard *g, bool on)
{
	if (on) {
		g->used = true;
		if (!g->alarmed)
			set_alarm(g, GUARD_NS);
	}
	if (on != g->on)
		let_through(on);
	g->on = on;
}

void guard_tick(struct guard *g)
{
	if (g->alarmed && !g->used)
		set_alarm(g, 0);
	g->used = false;
}

int guard_connect(struct guard *g, int fd, const struct mat_addr *a)
{
	int rc, saved;

	set_alarm(g, ALARM_NS);
	rc = connect(fd, (const struct sockaddr *)&a->addr, a->len);
	saved = errno;
	set_alarm(g, GUARD_NS);
	errno = saved;
	return rc;
}

int guard_shorten(int fd, int option, struct timeval *ret_bound)
{
	const struct timeval moment = { .tv_usec = 1 };
	socklen_t len = sizeof(*ret_bound);

	if (getsockopt(fd, SOL_SOCKET, option, ret_bound, &len) < 0)
		return -1;
	return setsockopt(fd, SOL_SOCKET, option, &moment, sizeof(moment));
}

void guard_restore(int fd, int option, const struct timeval *bound)
{
	int saved = errno;

	setsockopt(fd, SOL_SOCKET, option, bound, sizeof(*bound));
	errno = saved;
}

/* Setting a timer costs more than a connect on this machine, which waits for nothing unless
 * the listener's queue is full: there the socket's own bound is lent for the moment, with
 * ours behind it. It is put back before the caller's thread, which is in this very connect, goes
 * on. */
int guard_connect_near(int fd, const struct mat_addr *a)
{
	struct timeval bound;
	int rc;

	if (guard_shorten(fd, SO_SNDTIMEO, &bound) < 0)
		return -1;
	rc = connect(fd, (const struct sockaddr *)&a->addr, a->len);
	guard_restore(fd, SO_SNDTIMEO, &bound);
	return rc;
}
