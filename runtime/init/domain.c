/* SPDX-License-Identifier: Apache-2.0
 *
 * init's second thread: inside the Landlock domain and under the filter. It forks what
 * runs in the container and kills it. kill(-1, sig) from here reaches exactly the domain:
 * Landlock's signal scope refuses everything outside, and the kernel never delivers it to
 * the caller's own thread group. Sent from anywhere else it would hit the whole machine,
 * so signal_all() checks the scope each time before it calls.
 */
#include <linux/filter.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/base/signals.h"
#include "runtime/confine/filter.h"
#include "runtime/confine/steps.h"
#include "runtime/init/spawn.h"
#include "runtime/init/state.h"

static void report_failure(struct init_state *s, const struct sl_err *err)
{
	struct init_msg m = { .type = INIT_FAILED };

	m.err = *err;
	init_report(s, &m);
}

static void begin_end(struct init_state *s)
{
	pthread_mutex_lock(&s->lock);
	s->ending = true;
	pthread_mutex_unlock(&s->lock);
	eventfd_write(s->end_fd, 1);
}

static void signal_all(struct init_state *s, int sig)
{
	if (s->confined && confine_signals_are_scoped(s->supervisor))
		kill(-1, sig);
}

/* Here and not in the supervisor, which makes the tree meanwhile. */
static int build_filter(struct init_state *s, const struct init_confine *c, struct arena *a,
	struct confine_input *in, struct sl_err *err)
{
	struct filter_params p = c->filter;
	struct sock_filter *insns = arena_array(a, FILTER_MAX, sizeof(*insns));

	p.supervisor = s->supervisor;
	p.init = getpid();
	p.init_thread = gettid();
	in->filter = insns;
	return filter_build(&p, insns, FILTER_MAX, &in->n_filter, err);
}

static int map_profile(int fd, const struct sock_filter **ret, size_t *ret_n, struct sl_err *err)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st) < 0 || st.st_size == 0)
		return sl_err_set(err, errno, "init: profile");
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return sl_err_set(err, errno, "init: map the profile");
	*ret = p;
	*ret_n = (size_t)st.st_size / sizeof(struct sock_filter);
	return 0;
}

static int confine(struct init_state *s, const struct init_confine *c, const int *fds,
	int *ret_listener_fd, struct sl_err *err)
{
	struct confine_input in = {
		.root_fd = fds[CONFINE_FD_ROOT],
		.ruleset_fd = c->has_landlock ? fds[CONFINE_FD_RULESET] : -1,
		.new_keyring = c->new_keyring,
		.has_personality = c->has_personality,
		.personality = c->personality,
		.caps_bounding = c->caps_bounding,
		.caps_ceiling = c->caps_ceiling,
		.outsider = s->supervisor,
		.scope_signals = c->scope_signals,
		.no_new_privs = c->no_new_privs,
		.profile_flags = c->profile_flags,
	};
	auto_arena struct arena *arena = arena_new();
	int rc;

	if (build_filter(s, c, arena, &in, err) < 0)
		return -1;
	if (c->has_profile &&
		map_profile(fds[CONFINE_FD_PROFILE], &in.profile, &in.n_profile, err) < 0)
		return -1;
	rc = confine_enforce(&in, ret_listener_fd, err);
	if (in.n_profile > 0)
		munmap((void *)in.profile, in.n_profile * sizeof(*in.profile));
	return rc;
}

static void on_confine(struct init_state *s, const struct init_msg *m, const int *fds, size_t n)
{
	struct init_msg reply = { .type = INIT_CONFINED };
	auto_fd int listener_fd = -1;
	struct sl_err err;

	if (n != CONFINE_FDS || s->confined) {
		sl_err_set(&err, EPROTO, "init: CONFINE");
		report_failure(s, &err);
		return;
	}
	if (confine(s, &m->confine, fds, &listener_fd, &err) < 0) {
		report_failure(s, &err);
		return;
	}
	s->confined = true;
	s->has_profile = m->confine.has_profile;
	/* By its number: the filter may trap sendmsg(2) from here on, and the one who would
	 * answer is waiting for this. Kept until FETCHED. */
	reply.listener = s->listener_fd = take_fd(&listener_fd);
	init_report(s, &reply);
}

static void on_spawn(struct init_state *s, const struct init_msg *m, const int *fds, size_t n)
{
	struct init_msg reply = { .type = INIT_SPAWNED };
	struct init_child *child = calloc(1, sizeof(*child));
	struct sl_err err;

	if (!child) {
		sl_err_set(&err, ENOMEM, "init: SPAWN");
		report_failure(s, &err);
		return;
	}
	if (n < SPAWN_FDS || n - SPAWN_FDS != m->spawn.n_preserve || !s->confined) {
		free(child);
		sl_err_set(&err, EPROTO, "init: SPAWN");
		report_failure(s, &err);
		return;
	}
	/* The leader must not reap it before it is on the list. */
	pthread_mutex_lock(&s->lock);
	if (spawn_fork(fds, n, m->spawn.is_main, s->has_profile, &child->pid, &err) < 0) {
		pthread_mutex_unlock(&s->lock);
		free(child);
		report_failure(s, &err);
		return;
	}
	child->is_main = m->spawn.is_main;
	child->next = s->children;
	s->children = child;
	reply.pid = child->pid;
	init_report(s, &reply);
	pthread_mutex_unlock(&s->lock);
}

static void act(struct init_state *s, const struct init_msg *m, const int *fds, size_t n)
{
	switch (m->type) {
	case INIT_CONFINE: on_confine(s, m, fds, n); break;
	case INIT_FETCHED: drop_fd(&s->listener_fd); break;
	case INIT_SPAWN: on_spawn(s, m, fds, n); break;
	case INIT_SIGNAL_ALL: signal_all(s, m->signal); break;
	case INIT_END: begin_end(s); break;
	case INIT_HELLO:
	case INIT_CONFINED:
	case INIT_SPAWNED:
	case INIT_EXITED:
	case INIT_EMPTY:
	case INIT_FAILED: break; /* ours to send, never to receive */
	}
}

/* One message. Returns false when the supervisor is gone. */
static bool on_message(struct init_state *s)
{
	struct init_msg m;
	int fds[IO_MAX_FDS];
	size_t n = 0;
	pid_t sender;
	ssize_t r = io_recv_from(s->channel_fd, &m, sizeof(m), fds, IO_MAX_FDS, &n, &sender);

	/* It is still there and is asked for again. */
	if (r < 0 && (errno == EAGAIN || errno == ENOMEM || errno == ENOBUFS))
		return true;
	if (r < 0) {
		struct sl_err err;
		bool lost = errno == EMSGSIZE; /* this one; what comes next can be heard */

		sl_err_set(&err, errno, "init: hear from the supervisor");
		report_failure(s, &err);
		return lost;
	}
	if (r != (ssize_t)sizeof(m))
		return false;
	if (sender == s->supervisor)
		act(s, &m, fds, n);
	for (size_t i = 0; i < n; i++)
		close(fds[i]);
	return true;
}

void *domain_main(void *arg)
{
	struct init_state *s = arg;
	struct init_msg hello = { .type = INIT_HELLO, .tid = gettid() };
	struct pollfd p[2] = {
		{ .fd = s->channel_fd, .events = POLLIN },
		{ .fd = s->wake_fd, .events = POLLIN },
	};

	/* A new thread of the C library has signal 32 open, whatever its maker had. */
	if (signals_block_all() < 0)
		_exit(1);
	init_report(s, &hello);
	for (;;) {
		if (poll(p, 2, -1) < 0)
			continue;
		if (p[1].revents) {
			eventfd_t count;

			eventfd_read(s->wake_fd, &count);
			signal_all(s, SIGKILL);
		}
		if (p[0].revents && !on_message(s)) {
			p[0].fd = -1; /* the supervisor is gone: so is the container */
			begin_end(s);
			signal_all(s, SIGKILL);
		}
	}
	return NULL;
}
