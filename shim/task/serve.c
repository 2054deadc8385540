/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "runtime/base/signals.h"
#include "shim/task/inside.h"

/* Whoever started the shim was killed before it could say Create or Shutdown. containerd 1.6 that
 * comes back connects to such a shim and never ends it. */
#define UNUSED_MS 20000

static bool may_leave(const struct shim *s)
{
	return publisher_idle(&s->events) && !ttrpc_server_unsent(&s->server);
}

static void unused_too_long(struct loop_timer *t)
{
	shutdown_begin(LOOP_OWNER(t, struct shim, unused), SHUTDOWN_AT_ONCE);
}

static void watch_use(struct shim *s)
{
	const bool used = s->n_tasks || s->pod || s->leaving.due;

	if (used)
		loop_stop_timer(&s->loop, &s->unused);
	else if (!s->unused.due)
		loop_set_timer(&s->loop, &s->unused, clock_now_ms() + UNUSED_MS, unused_too_long);
}

static void hear_signal(struct loop_source *src, uint32_t events)
{
	struct shim *s = LOOP_OWNER(src, struct shim, signals);
	struct signalfd_siginfo si;

	(void)events;
	/* The shim ignores SIGTERM and the like: containers end when a client asks for it. */
	if (read(src->fd, &si, sizeof(si)) == sizeof(si) && si.ssi_signo == SIGCHLD)
		exits_reap(s);
}

static int watch_signals(struct shim *s)
{
	sigset_t all;
	int fd;

	signals_fill(&all);
	if (signals_block_all() < 0)
		return -1;
	fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0 || loop_add(&s->loop, &s->signals, fd, hear_signal) < 0)
		return -1;
	return 0;
}

/* Raises the shim's own limit of open files. The containers get the limit that the shim was started
 * with. */
static void serve_raise_open_files(struct shim *s)
{
	struct rlimit most;

	if (getrlimit(RLIMIT_NOFILE, &s->open_files) < 0)
		return;
	most = s->open_files;
	most.rlim_cur = most.rlim_max;
	setrlimit(RLIMIT_NOFILE, &most);
}

int shim_run(const struct shim_setup *setup)
{
	struct shim *s = calloc(1, sizeof(*s));

	if (!s)
		return -1;
	s->programs = setup->programs;
	s->namespace = setup->namespace;
	s->socket_path = setup->socket_path;
	s->log_fd = setup->log_fd;
	s->server.on_call = service_call;
	serve_raise_open_files(s);
	if (loop_open(&s->loop) < 0 || watch_signals(s) < 0 ||
		ttrpc_server_open(&s->server, &s->loop, setup->listen_fd) < 0)
		return -1;
	s->workers.loop = &s->loop;
	publisher_open(&s->events, &s->loop, setup->ttrpc_address, setup->namespace);
	while (!s->over) {
		watch_use(s);
		loop_turn(&s->loop);
		if (s->leaving.due && s->leaves_at_once && may_leave(s))
			s->over = true;
	}
	publisher_close(&s->events);
	ttrpc_server_close(&s->server);
	loop_close(&s->loop);
	free(s);
	return 0;
}
