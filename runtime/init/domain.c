/* SPDX-License-Identifier: Apache-2.0
 *
 * init's second thread: it is inside the Landlock domain and under the filter. It forks the
 * processes of the container and kills them when the leader says so. Its descriptor table holds
 * only what the next child gets (fetch.c).
 *
 * kill(-1, sig) of this thread reaches exactly the processes of the domain: Landlock's signal
 * scope refuses all others, and the kernel does not send the signal to the caller's own thread
 * group. From any other process it would reach the whole machine, so it is sent only after
 * confine_enforce() has tested the scope. A domain cannot be left again.
 */
#include <linux/filter.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/signals.h"
#include "runtime/confine/filter.h"
#include "runtime/confine/steps.h"
#include "runtime/init/internal.h"
#include "runtime/init/spawn.h"

static void signal_domain(struct init_state *s, int sig)
{
	if (s->is_scoped)
		kill(-1, sig);
}

/* init builds the filter, because the supervisor makes the tree at the same time. */
static int build_filter(struct init_state *s, const struct init_confine *c, struct arena *a,
	struct confine_input *in, struct sl_err *err)
{
	struct filter_params p = c->filter;
	struct sock_filter *insns = arena_array(a, FILTER_MAX, sizeof(*insns));

	p.supervisor = s->supervisor;
	p.init = getpid();
	p.init_thread = gettid();
	p.init_fetcher = s->fetcher_tid;
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

static int confine_domain(struct init_state *s, const struct init_confine *c, const int *fds,
	int *ret_listener_fd, struct sl_err *err)
{
	struct confine_input in = {
		.root_fd = fds[CONFINE_FD_ROOT],
		.ruleset_fd = c->has_landlock ? fds[CONFINE_FD_RULESET] : -1,
		.new_keyring = c->new_keyring,
		.has_personality = c->has_personality,
		.personality = c->personality,
		.memory_nodes = c->has_memory_policy ? &c->memory_nodes : NULL,
		.memory_mode = c->memory_mode,
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
	s->is_scoped = rc == 0 && c->scope_signals;
	return rc;
}

static int domain_spawn(struct init_state *s, struct init_job *job)
{
	const struct init_spawn *what = &job->request->spawn;
	int rc = spawn_fork(
		job->fds, job->n_fds, what->is_main, s->has_profile, &job->pid, &job->err);

	/* If these stayed open, a reader of the process' output would not see its end. */
	for (size_t i = 0; i < job->n_fds; i++)
		close(job->fds[i]);
	return rc;
}

static int do_job(struct init_state *s, struct init_job *job)
{
	switch (job->kind) {
	case JOB_CONFINE:
		return confine_domain(
			s, &job->request->confine, job->fds, &job->listener_fd, &job->err);
	case JOB_SPAWN: return domain_spawn(s, job);
	case JOB_SIGNAL: signal_domain(s, job->signal); return 0;
	}
	return -1;
}

void *domain_main(void *arg)
{
	struct init_state *s = arg;

	/* The C library unblocks signal 32 in a new thread, whatever the mask of its creator
	 * was. */
	if (signals_block_all() < 0)
		_exit(1);
	s->domain_tid = gettid();
	sem_post(&s->done);
	for (;;) {
		init_wait(&s->to_domain);
		s->job.result = do_job(s, &s->job);
		sem_post(&s->done);
	}
	return NULL;
}
