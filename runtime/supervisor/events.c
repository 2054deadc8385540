/* SPDX-License-Identifier: Apache-2.0
 *
 * The supervisor after the workload is ready: it passes events of the listener, init, the
 * control socket and signals to their handlers. It never exits because of an error: it denies
 * the call. It ends with the container.
 */
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/base/signals.h"
#include "runtime/store/store.h"
#include "runtime/supervisor/internal.h"

/* How long clients wait when the supervisor has no descriptor or no memory for one. */
#define CLIENTS_AGAIN_MS 100

static void on_init(struct loop_source *src, uint32_t events)
{
	struct supervisor *s = LOOP_OWNER(src, struct supervisor, sources.init);
	struct init_msg m;
	ssize_t r = init_link_receive(s, &m, NULL);

	(void)events;
	if (r < 0)
		return;
	if (r != (ssize_t)sizeof(m)) {
		/* init was killed: its children are now children of the supervisor, which kills
		 * them. */
		ending_kill_orphans(s);
		s->over = true;
		return;
	}
	if (m.type == INIT_EXITED)
		requests_process_ended(s, m.exited.pid, m.exited.status);
	s->over = m.type == INIT_EMPTY;
}

/* A signal to the tracked process is sent on to the workload, except the timer of net_guard(). */
static void on_signal(struct loop_source *src, uint32_t events)
{
	struct supervisor *s = LOOP_OWNER(src, struct supervisor, sources.signals);
	struct signalfd_siginfo si;

	(void)events;
	if (read(src->fd, &si, sizeof(si)) != (ssize_t)sizeof(si))
		return;
	if (si.ssi_signo != SIGCHLD && si.ssi_signo != SIGPIPE && si.ssi_code != SI_TIMER)
		proc_signal(s->proc_fd, &s->record.workload, (int)si.ssi_signo);
}

static void on_clients_again(struct loop_timer *t)
{
	struct supervisor *s = LOOP_OWNER(t, struct supervisor, clients_timer);

	loop_want(&s->loop, &s->sources.clients, EPOLLIN);
}

/* A client that cannot be accepted stays in the queue, and the loop would report it at once again.
 */
static void on_control_client(struct loop_source *src, uint32_t events)
{
	struct supervisor *s = LOOP_OWNER(src, struct supervisor, sources.clients);

	(void)events;
	if (!requests_accept(s) && loop_want(&s->loop, src, 0) == 0)
		loop_set_timer(&s->loop, &s->clients_timer, clock_now_ms() + CLIENTS_AGAIN_MS,
			on_clients_again);
}

static void on_call(struct loop_source *src, uint32_t events)
{
	struct supervisor *s = LOOP_OWNER(src, struct supervisor, sources.calls);

	if (!notif_serve(&s->notif, events))
		loop_remove(&s->loop, src);
}

static void on_parked_call(struct loop_source *src, uint32_t events)
{
	(void)events;
	net_progress(LOOP_OWNER(src, struct supervisor, sources.parked)->net);
}

static void on_proxy(struct loop_source *src, uint32_t events)
{
	struct supervisor *s = LOOP_OWNER(src, struct supervisor, sources.proxy);

	if ((events & ~(uint32_t)EPOLLOUT) && !net_hear_proxy(s->net)) {
		loop_remove(&s->loop, src);
		return;
	}
	if (!net_answer_proxy(s->net))
		loop_want(&s->loop, src, EPOLLIN | EPOLLOUT);
	else if (events & EPOLLOUT)
		loop_want(&s->loop, src, EPOLLIN);
}

/* The guard stays set from one trapped call to the next. net_progress() sets it itself. */
static void set_guard(struct loop *l, const struct loop_source *src)
{
	struct supervisor *s = LOOP_OWNER(l, struct supervisor, loop);

	if (s->net && src != &s->sources.parked)
		net_guard(s->net, src == &s->sources.calls || src == &s->sources.proxy);
}

int events_open(struct supervisor *s, struct sl_err *err)
{
	struct loop *l = &s->loop;
	sigset_t all;

	signals_fill(&all);
	s->signal_fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	s->control_fd = io_unix_listen(s->dir_fd, STORE_CONTROL, SOCK_SEQPACKET);
	if (s->signal_fd < 0 || s->control_fd < 0 || loop_open(l) < 0)
		return sl_err_set(err, errno, "open the supervisor's loop");
	l->before = set_guard;
	if (loop_add(l, &s->sources.signals, s->signal_fd, on_signal) < 0 ||
		loop_add(l, &s->sources.clients, s->control_fd, on_control_client) < 0 ||
		loop_add(l, &s->sources.init, s->channel_fd, on_init) < 0 ||
		loop_add(l, &s->sources.calls, s->notif.listener_fd, on_call) < 0)
		return sl_err_set(err, errno, "watch the supervisor's descriptors");
	if (s->net && loop_add(l, &s->sources.parked, net_wait_fd(s->net), on_parked_call) < 0)
		return sl_err_set(err, errno, "watch the network");
	if (s->net && s->proxy_fd >= 0 && loop_add(l, &s->sources.proxy, s->proxy_fd, on_proxy) < 0)
		return sl_err_set(err, errno, "watch the HTTP proxy");
	return 0;
}

void events_run(struct supervisor *s)
{
	while (!s->over)
		loop_turn(&s->loop);
	if (s->net)
		net_guard(s->net, false);
	/* Recorded before any client is told of the end. */
	limits_end(s);
	if (s->leaves_stats)
		stats_leave(s);
	requests_finish(s);
	loop_close(&s->loop);
}
