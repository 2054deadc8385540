/* SPDX-License-Identifier: Apache-2.0
 *
 * The fork between client and supervisor. The client waits on the ready socket: one message says
 * that the container is ready or carries the error. The end of file without a message means that
 * the supervisor was killed.
 */
#include "runtime/supervisor/spawn.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/daemon.h"
#include "runtime/store/store.h"
#include "runtime/supervisor/internal.h"

struct ready_msg {
	bool ready;
	struct sl_err err;
};

static int take_stdio(const struct supervisor_job *job)
{
	for (int fd = 0; job->stdio_fds && fd <= 2; fd++)
		if (dup2(job->stdio_fds[fd], fd) < 0)
			return -1;
	return 0;
}

/* Keeps stdio, the preserved descriptors and those of the job. All others that the client had or
 * had inherited are closed: they must not stay open as long as the container lives. */
static int keep_job_fds(struct supervisor_job *job, int *ready_fd)
{
	int *const all[] = { &job->dir_fd, ready_fd, &job->image_fd, &job->proxy_fd };
	int *kept[sizeof(all) / sizeof(all[0])], n = 0;
	const int base = 3 + job->n_preserve;

	/* A new open file description: the client's own holds the lock of flock(2). */
	job->dir_fd = openat(job->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (job->dir_fd < 0)
		return -1;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (*all[i] >= 0)
			kept[n++] = all[i];
	for (int i = 0; i < n; i++) {
		*kept[i] = fcntl(*kept[i], F_DUPFD_CLOEXEC, base + n);
		if (*kept[i] < 0)
			return -1;
	}
	for (int i = 0; i < n; i++) {
		*kept[i] = dup3(*kept[i], base + i, O_CLOEXEC);
		if (*kept[i] < 0)
			return -1;
	}
	return close_range((unsigned int)(base + n), ~0U, 0);
}

static char **copy_strings(struct arena *a, char *const *list, size_t n)
{
	char **out;

	if (!list)
		return NULL;
	out = arena_array(a, n + 1, sizeof(*out));
	for (size_t i = 0; i < n; i++)
		out[i] = arena_strdup(a, list[i]);
	return out;
}

/* The plan is freed when the workload is ready, but these hooks run later. */
static struct spec_hook_list copy_hooks(struct arena *a, const struct spec_hook_list *l)
{
	struct spec_hook_list out = { .items = arena_array(a, l->n + 1, sizeof(*out.items)),
		.n = l->n };

	for (size_t i = 0; i < l->n; i++) {
		const struct spec_hook *h = &l->items[i];

		out.items[i] = *h;
		out.items[i].path = arena_strdup(a, h->path);
		out.items[i].args = copy_strings(a, h->args, h->n_args);
		out.items[i].env = copy_strings(a, h->env, h->n_env);
	}
	return out;
}

static void fill_record(struct supervisor *s, const struct plan *plan)
{
	struct record *r = &s->record;
	struct key_value *kv = arena_array(s->arena, plan->n_annotations + 1, sizeof(*kv));

	r->oci_version = arena_strdup(s->arena, plan->oci_version);
	r->id = arena_strdup(s->arena, plan->id);
	r->bundle = arena_strdup(s->arena, plan->bundle);
	r->rootfs = arena_strdup(s->arena, plan->fs.root_path ? plan->fs.root_path : "/");
	clock_gettime(CLOCK_REALTIME, &r->created);
	for (size_t i = 0; i < plan->n_annotations; i++) {
		kv[i].key = arena_strdup(s->arena, plan->annotations[i].key);
		kv[i].value = arena_strdup(s->arena, plan->annotations[i].value);
	}
	r->annotations = kv;
	r->n_annotations = plan->n_annotations;
	r->hooks.poststart = copy_hooks(s->arena, &plan->hooks.poststart);
	r->hooks.poststop = copy_hooks(s->arena, &plan->hooks.poststop);
	if (plan->hostname)
		snprintf(s->nodename, sizeof(s->nodename), "%s", plan->hostname);
	if (plan->domainname)
		snprintf(s->domainname, sizeof(s->domainname), "%s", plan->domainname);
}

static void report_no_container(int ready_fd, const struct sl_err *err)
{
	struct ready_msg m = { .ready = false };

	m.err = *err;
	send(ready_fd, &m, sizeof(m), MSG_NOSIGNAL);
}

static struct supervisor *supervisor_new(
	const struct supervisor_job *job, int dir_fd, struct sl_err *err)
{
	struct arena *arena = arena_new();
	struct supervisor *s = arena_alloc(arena, sizeof(*s));

	s->arena = arena;
	s->loop.epoll_fd = s->channel_fd = s->control_fd = s->signal_fd = -1;
	s->root_fd = s->scratch_fd = s->sync_fd = s->start_conn_fd = s->end_conn_fd = s->main_fd =
		-1;
	s->node_route_fd = s->node_news_fd = s->proxy_fd = -1;
	s->dir_fd = dir_fd;
	s->image_fd = job->image_fd;
	s->proc_fd = proc_open();
	s->state_root_fd = openat(dir_fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->proc_fd < 0 || s->state_root_fd < 0) {
		sl_err_set(err, errno, "supervisor: open /proc and the state root");
		arena_free(arena);
		return NULL;
	}
	s->members = (struct members){
		.proc_fd = s->proc_fd, .test = members_by_mounts, .of = &s->mounts
	};
	s->on_exit = requests_process_ended;
	s->leaves_stats = true;
	s->notif.listener_fd = s->bundle_fd = -1;
	fill_record(s, job->plan);
	return s;
}

/* Called when building has failed: init sees its channel close and kills all processes. The
 * client is answered afterwards, so that nothing is left when it hears of the failure. */
static void give_up_building(struct supervisor *s)
{
	drop_fd(&s->channel_fd);
	drop_fd(&s->sync_fd);
	proxy_end(s);
	ending_kill_orphans(s);
	pod_leave_ipc(s);
}

static int build_and_tell(
	struct supervisor *s, const struct supervisor_job *job, int ready_fd, struct sl_err *err)
{
	const struct ready_msg m = { .ready = true };
	int master = -1, rc;
	auto_fd int master_fd = -1;

	if (supervisor_build(s, job, &master, err) < 0)
		return -1;
	master_fd = master;
	/* If the client is gone, nobody would know of the container; so it is taken down again. */
	rc = io_send_fds(ready_fd, &m, sizeof(m), &master, master >= 0 ? 1 : 0);
	return rc < 0 ? sl_err_set(err, errno, "supervisor: hand the container to its caller") : 0;
}

static _Noreturn void supervisor_main(struct supervisor_job *job, int ready_fd)
{
	struct supervisor *s;
	struct sl_err err;

	if (daemon_become("sandlock:[super]", "sandlock:[supervisor]") < 0 || take_stdio(job) < 0 ||
		keep_job_fds(job, &ready_fd) < 0) {
		sl_err_set(&err, errno, "supervisor: set up");
		report_no_container(ready_fd, &err);
		_exit(1);
	}
	s = supervisor_new(job, job->dir_fd, &err);
	if (!s || build_and_tell(s, job, ready_fd, &err) < 0) {
		if (s)
			give_up_building(s);
		report_no_container(ready_fd, &err);
		_exit(1);
	}
	/* An idle supervisor must not keep the memory that parsing and building needed. */
	arena_free(job->arena);
	malloc_trim(0);
	if (job->start)
		supervisor_settle(s);
	if (job->tell_end)
		s->end_conn_fd = fcntl(ready_fd, F_DUPFD_CLOEXEC, 3);
	/* The client may send requests here, as over the control socket. */
	session_open(s, &ready_fd, requests_handle);
	events_run(s);
	proxy_end(s);
	pod_leave_ipc(s);
	daemon_end_like(ending_status(s));
}

int supervisor_run_here(const struct supervisor_job *job, int *ret_status, struct sl_err *err)
{
	auto_fd int lock_fd = job->dir_fd;
	int dir_fd, master_fd, rc = 0;
	struct supervisor *s;

	if (daemon_stay("sandlock:[super]", "sandlock:[supervisor]") < 0)
		return sl_err_set(err, errno, "supervisor: set up");
	/* A new open file description: lock_fd holds the lock of flock(2). */
	dir_fd = openat(lock_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return sl_err_set(err, errno, "supervisor: set up");
	s = supervisor_new(job, dir_fd, err);
	if (!s)
		return -1;
	if (supervisor_build(s, job, &master_fd, err) < 0) {
		give_up_building(s);
		return -1;
	}
	drop_fd(&lock_fd);
	s->leaves_stats = job->state_root_fd < 0;
	supervisor_settle(s);
	events_run(s);
	proxy_end(s);
	pod_leave_ipc(s);
	/* This overlaps with the exit of init, which runs no process of the container any more. */
	if (job->state_root_fd >= 0)
		rc = store_remove(job->state_root_fd, job->plan->id, err);
	*ret_status = ending_status(s);
	return rc;
}

static int hear_ready(int fd, struct supervisor_ready *ret, struct sl_err *err)
{
	struct ready_msg m;
	int master_fd = -1;
	size_t n_fds = 0;
	ssize_t r = io_recv_fds(fd, &m, sizeof(m), &master_fd, 1, &n_fds);

	if (r != (ssize_t)sizeof(m))
		return sl_err_set(err, r < 0 ? errno : 0, "the supervisor ended unexpectedly");
	if (!m.ready) {
		*err = m.err;
		return -1;
	}
	ret->master_fd = n_fds ? master_fd : -1;
	return 0;
}

int supervisor_spawn(
	const struct supervisor_job *job, struct supervisor_ready *ret, struct sl_err *err)
{
	auto_fd int mine = -1, theirs = -1;
	struct supervisor_job copy = *job;
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return sl_err_set(err, errno, "socketpair");
	mine = pair[0];
	theirs = pair[1];
	pid = fork();
	if (pid < 0)
		return sl_err_set(err, errno, "fork the supervisor");
	if (pid == 0)
		supervisor_main(&copy, theirs);
	drop_fd(&theirs);
	ret->pid = pid;
	if (hear_ready(mine, ret, err) < 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return -1;
	}
	ret->conn_fd = take_fd(&mine);
	return 0;
}
