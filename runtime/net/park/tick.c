/* SPDX-License-Identifier: Apache-2.0
 *
 * The timer for what nothing tells of: callers of parked calls, ports that connected datagram
 * sockets send to, and the guard's alarm, which ends when it was not needed.
 */
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include "runtime/net/act/act.h"
#include "runtime/net/park/park.h"
#include "runtime/net/state.h"

/* How soon the death of a caller or a signal to it is seen. */
#define TICK_NS 20000000L
/* The same where every call waits for something to come, which may take days. */
#define SLOW_TICK_NS 100000000L

/* How often it is tried whether it is a caller's turn. */
#define TURN_TICK_NS 1000000L

int tick_open(struct net *n)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = NULL };

	n->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return n->timer_fd < 0 ? -1 : epoll_ctl(n->epoll_fd, EPOLL_CTL_ADD, n->timer_fd, &e);
}

void tick_set(struct net *n)
{
	long ns = n->n_parked == 0 ? 0 : n->n_receivers == n->n_parked ? SLOW_TICK_NS : TICK_NS;

	if (n->n_near > 0 || (n->guarded && ns == 0))
		ns = TICK_NS;
	if (n->n_turns > 0)
		ns = TURN_TICK_NS;
	if (ns == n->tick_ns)
		return; /* to set it again would put the next tick off */
	n->tick_ns = ns;
	timerfd_settime(n->timer_fd, 0,
		&(struct itimerspec){ .it_interval.tv_nsec = ns, .it_value.tv_nsec = ns }, NULL);
}

bool tick_take(struct net *n)
{
	uint64_t ticks;

	return read(n->timer_fd, &ticks, sizeof(ticks)) == (ssize_t)sizeof(ticks);
}
