/* SPDX-License-Identifier: Apache-2.0
 *
 * Bounds every call of the supervisor on a socket that the container shares. Another thread of the
 * container can change the properties of the socket that limit such a call (O_NONBLOCK,
 * SO_SNDTIMEO, SO_LINGER), but it cannot stop a signal that the supervisor sends to itself. A timer
 * sends this signal every few milliseconds. The signal is unblocked only while the supervisor
 * answers notifications, so it interrupts nothing else. A signal that comes at another time is read
 * from the supervisor's signalfd(2) and dropped.
 *
 * Starting a timer costs more than most calls. Therefore the timer continues until it was not
 * needed for a while.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include "runtime/net/act/act.h"

/* Loopback answers within the call, unless the machine is very busy. */
#define ANSWER_MS 2

/* Longer than any call that does not block, too short for a person to notice. */
#define GUARD_NS 10000000L

/* The interval for a connect that is expected to block: longer than a connection on this machine
 * takes. */
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
	/* without SA_RESTART: the signal must interrupt the call */
	struct sigaction act = { .sa_handler = on_alarm };
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = ALARM_SIGNAL };

	let_through(false);
	return sigaction(ALARM_SIGNAL, &act, NULL) < 0 ||
			       timer_create(CLOCK_MONOTONIC, &ev, &g->alarm) < 0
		       ? -1
		       : 0;
}

/* The timer repeats, because its first signal may come before the call has begun. */
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

/* Starting a timer costs more than a connect on this machine, which blocks only if the listener's
 * queue is full. Therefore the socket's own timeout is shortened for the call, and the guard is the
 * second bound. The timeout is restored before the caller's thread, which waits in this connect,
 * continues. */
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

bool guard_take_back(const struct mat_socket *s, const struct mat_addr *addr)
{
	const struct sockaddr none = { .sa_family = AF_UNSPEC };
	struct pollfd p = { .fd = s->fd, .events = POLLOUT };
	uint8_t state = 0;
	socklen_t len = sizeof(state);
	int error, saved = errno;
	bool begun = addr->held && s->type == SOCK_STREAM;

	for (int i = 0; begun && i < 2; i++) {
		begun = getsockopt(s->fd, IPPROTO_TCP, TCP_INFO, &state, &len) == 0 &&
			state == TCP_SYN_SENT;
		if (begun && i == 0)
			poll(&p, 1, ANSWER_MS);
	}
	if (begun) {
		(void)connect(s->fd, &none, sizeof(none));
		len = sizeof(error);
		/* clears the error that the cancellation left */
		getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &error, &len);
	}
	errno = saved;
	return begun;
}
