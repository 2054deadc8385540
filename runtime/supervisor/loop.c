/* SPDX-License-Identifier: Apache-2.0
 *
 * The supervisor once the workload is parked: one loop over the listener, init, the
 * control socket, signals and the connections of clients. It never dies by itself: what it
 * cannot do it denies. It ends with the container.
 */
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <time.h>

#include "runtime/base/cleanup.h"
#include "runtime/supervisor/supervisor.h"

int loop_watch(struct supervisor *s, int fd)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &e);
}

static void on_init(struct supervisor *s)
{
	struct init_msg m;
	ssize_t r = init_link_receive(s, &m, NULL);

	if (r < 0)
		return;
	if (r != (ssize_t)sizeof(m)) {
		/* init was killed: its children are ours, and so is the killing. */
		ending_kill_orphans(s);
		s->over = true;
		return;
	}
	if (m.type == INIT_EXITED)
		requests_process_ended(s, m.exited.pid, m.exited.status);
	s->over = m.type == INIT_EMPTY;
}

/* Who signals the tracked process means the workload. The alarm of net_guard() is nobody's. */
static void on_signal(struct supervisor *s)
{
	struct signalfd_siginfo si;

	if (read(s->signal_fd, &si, sizeof(si)) != (ssize_t)sizeof(si))
		return;
	if (si.ssi_signo != SIGCHLD && si.ssi_signo != SIGPIPE && si.ssi_code != SI_TIMER)
		proc_signal(s->proc_fd, &s->record.workload, (int)si.ssi_signo);
}

static void dispatch_other(struct supervisor *s, int fd)
{
	struct session *c;

	if (fd == s->channel_fd) {
		on_init(s);
	} else if (fd == s->control_fd) {
		requests_accept(s);
	} else if (fd == s->signal_fd) {
		on_signal(s);
	} else if (fd == s->sync_fd) {
		requests_main_answered(s);
	} else if (start_hooks_event(s, fd)) {
		return;
	} else if ((c = sessions_find(s, fd))) {
		sessions_event(s, c, fd);
	}
}

static void dispatch(struct supervisor *s, const struct epoll_event *e)
{
	const bool calls = e->data.fd == s->notif.listener_fd;
	const bool parked = s->net && e->data.fd == net_wait_fd(s->net);

	if (s->net && !parked)
		net_guard(s->net, calls);
	if (parked)
		net_progress(s->net);
	else if (!calls)
		dispatch_other(s, e->data.fd);
	else if (!notif_serve(&s->notif, e->events))
		epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, s->notif.listener_fd, NULL);
}

int64_t loop_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void loop_look_at(struct supervisor *s, int64_t ms)
{
	if (s->look_ms == 0 || ms < s->look_ms)
		s->look_ms = ms;
}

/* How long may be waited for events, -1: for ever. */
static int end_late(struct supervisor *s)
{
	int64_t now;

	if (s->look_ms == 0)
		return -1;
	now = loop_now_ms();
	if (now < s->look_ms)
		return (int)(s->look_ms - now);
	s->look_ms = 0;
	sessions_end_late(s, now);
	requests_end_late(s, now);
	return s->look_ms == 0 ? -1 : (int)(s->look_ms - now);
}

void supervisor_loop(struct supervisor *s)
{
	while (!s->over) {
		const int timeout = end_late(s);
		struct epoll_event e;

		/* One at a time: handling one event may close the descriptor of the next. */
		if (epoll_wait(s->epoll_fd, &e, 1, timeout) == 1)
			dispatch(s, &e);
	}
	if (s->net)
		net_guard(s->net, false);
	requests_finish(s);
}
