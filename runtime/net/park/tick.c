/* SPDX-License-Identifier: Apache-2.0
 *
 * A timer for events that nothing reports: the end of the caller of a parked call, a new holder of
 * a port that connected datagram sockets send to, and the time at which the guard's alarm is no
 * longer needed.
 */
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "runtime/net/park/park.h"

static const long pace_ns[TICK_PACES] = {
	[TICK_OFF] = 0,
	/* Every parked call waits to receive, which may take days. */
	[TICK_SLOW] = 100000000L,
	/* The delay with which the death of a caller, or a signal to it, is noticed. */
	[TICK_USUAL] = 20000000L,
	/* The interval at which a caller tries whether it has the turn. */
	[TICK_FAST] = 1000000L,
};

int tick_open(struct tick *t, int epoll_fd)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = NULL };

	t->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return t->fd < 0 ? -1 : epoll_ctl(epoll_fd, EPOLL_CTL_ADD, t->fd, &e);
}

void tick_want(struct tick *t, enum tick_user who, enum tick_pace pace)
{
	enum tick_pace fastest;
	struct itimerspec every = { 0 };

	t->wanted[who] = pace;
	fastest = t->wanted[TICK_PARKED] > t->wanted[TICK_NEAR] ? t->wanted[TICK_PARKED]
								: t->wanted[TICK_NEAR];
	if (fastest == TICK_OFF)
		fastest = t->wanted[TICK_GUARD];
	if (fastest == t->pace)
		return; /* setting it again would delay the next tick */
	t->pace = fastest;
	every.it_interval.tv_nsec = every.it_value.tv_nsec = pace_ns[fastest];
	timerfd_settime(t->fd, 0, &every, NULL);
}

bool tick_take(struct tick *t)
{
	uint64_t ticks;

	return read(t->fd, &ticks, sizeof(ticks)) == (ssize_t)sizeof(ticks);
}
