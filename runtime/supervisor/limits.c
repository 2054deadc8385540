/* SPDX-License-Identifier: Apache-2.0
 *
 * Connects the limits with the container; runtime/limits counts and measures.
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sched.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/confine/self.h"
#include "runtime/plan/plan.h"
#include "runtime/supervisor/internal.h"

int limits_open(struct supervisor *s, const struct plan *all, pid_t init_tid, struct sl_err *err)
{
	const struct plan_limits *plan = &all->limits;
	const struct tasks_setup tasks = {
		.members = &s->members,
		.loop = &s->loop,
		.init_tid = init_tid,
		.limit = plan->tasks,
	};
	struct sl_err why;

	s->limits = *plan;
	if (s->budget)
		budget_count(s->budget, init_tid);
	if (plan->tasks != UINT64_MAX && !(s->tasks = tasks_open(&tasks)))
		return sl_err_set(err, errno, "linux.resources.pids.limit");
	if (plan->memory != UINT64_MAX && !(s->memory = memory_open(init_tid, plan->memory, &why)))
		return sl_err_set(err, errno, "linux.resources.memory.limit");
	if (plan->disk != UINT64_MAX && !all->fs.root_readonly &&
		!(s->disk = disk_open(all->fs.root_path, plan->disk, err)))
		return -1;
	return 0;
}

/* Containers of a pod have the same tmpfs at /dev/shm, as a bind mount. At other places files of
 * the host can be bind-mounted from a tmpfs, which nobody in the container has written. */
static bool may_be_pod_shm(const struct plan_mount *m)
{
	return m->kind == PLAN_MOUNT_BIND && strcmp(m->destination, "/dev/shm") == 0;
}

static int add_shared_memory(struct memory *memory, int root_fd, const struct plan_mount *m)
{
	const struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	auto_fd int fd = (int)syscall(SYS_openat2, root_fd, m->destination, &how, sizeof(how));
	struct statfs st;

	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	if (m->kind == PLAN_MOUNT_TMPFS)
		memory_add_tmpfs(memory, &fd);
	else if (fstatfs(fd, &st) == 0 && st.f_type == TMPFS_MAGIC)
		return memory_add_pod_shm(memory, fd);
	return 0;
}

/* The tmpfs mounts that the bundle asks for count as the container's memory, and the pod's
 * /dev/shm in part. */
static int add_mounts(const struct supervisor *s, const struct plan_fs *fs, struct sl_err *err)
{
	for (size_t i = 0; i < fs->n_mounts; i++) {
		const struct plan_mount *m = &fs->mounts[i];

		if ((m->kind == PLAN_MOUNT_TMPFS || may_be_pod_shm(m)) &&
			add_shared_memory(s->memory, s->root_fd, m) < 0)
			return sl_err_set(err, errno, "look at %s", m->destination);
	}
	return 0;
}

/* For `state`. If the file cannot be written, it is as it was: the container goes on. */
static void record_kills(const struct supervisor *s)
{
	struct sl_err ignored;

	store_write_kills(s->dir_fd, &s->kills, &ignored);
}

/* conmon makes this file when a cgroup reports an OOM kill, and its callers look for it. */
static void note_oom(struct supervisor *s)
{
	auto_fd int fd = -1;
	eventfd_t n;

	if (eventfd_read(memory_event_fd(s->memory), &n) < 0)
		return;
	s->kills.memory += n;
	record_kills(s);
	fd = openat(s->bundle_fd, "oom", O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
}

static void on_oom(struct loop_source *src, uint32_t events)
{
	(void)events;
	note_oom(LOOP_OWNER(src, struct supervisor, sources.oom));
}

void limits_end(struct supervisor *s)
{
	if (s->memory)
		note_oom(s);
}

/* init ends the container. */
static void end_container(struct supervisor *s)
{
	const struct init_msg m = { .type = INIT_END };

	init_link_send(s, &m);
}

static void on_disk(struct loop_source *src, uint32_t events)
{
	struct supervisor *s = LOOP_OWNER(src, struct supervisor, sources.disk);
	eventfd_t n;

	(void)events;
	if (eventfd_read(disk_event_fd(s->disk), &n) < 0 || s->main_ended)
		return;
	s->kills.disk = 1;
	record_kills(s);
	end_container(s);
}

static int watch_disk(struct supervisor *s, struct sl_err *err)
{
	if (disk_start(s->disk, &s->members, confine_sampler, err) < 0)
		return -1;
	if (loop_add(&s->loop, &s->sources.disk, disk_event_fd(s->disk), on_disk) < 0)
		return sl_err_set(err, errno, "watch the disk");
	return 0;
}

static int watch_memory(struct supervisor *s, const struct plan *plan, struct sl_err *err)
{
	s->bundle_fd = open(plan->bundle, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (s->bundle_fd < 0)
		return sl_err_set(err, errno, "open the bundle");
	if (unlinkat(s->bundle_fd, "oom", 0) < 0 && errno != ENOENT && errno != EROFS)
		return sl_err_set(err, errno, "remove 'oom' of an earlier container");
	if (add_mounts(s, &plan->fs, err) < 0 ||
		memory_start(s->memory, &s->members, confine_sampler, err) < 0)
		return -1;
	if (loop_add(&s->loop, &s->sources.oom, memory_event_fd(s->memory), on_oom) < 0)
		return sl_err_set(err, errno, "watch for want of memory");
	return 0;
}

int limits_watch(struct supervisor *s, const struct plan *plan, struct sl_err *err)
{
	if (s->memory && watch_memory(s, plan, err) < 0)
		return -1;
	return s->disk ? watch_disk(s, err) : 0;
}

static int lower_rlimit(pid_t pid, int resource, uint64_t most)
{
	struct rlimit64 l;

	if (most == UINT64_MAX)
		return 0;
	if (syscall(SYS_prlimit64, pid, resource, NULL, &l) < 0)
		return -1;
	l.rlim_max = l.rlim_max < most ? l.rlim_max : most;
	l.rlim_cur = l.rlim_cur < l.rlim_max ? l.rlim_cur : l.rlim_max;
	return (int)syscall(SYS_prlimit64, pid, resource, &l, NULL);
}

/* Limits are only lowered: a limit is what the process may have at most. */
int limits_set_up(const struct supervisor *s, pid_t pid, struct sl_err *err)
{
	const struct plan_limits *l = &s->limits;

	if (lower_rlimit(pid, RLIMIT_NOFILE, l->open_files) < 0)
		return sl_err_set(err, errno, "io.sandlock.limits.open_files");
	if (lower_rlimit(pid, RLIMIT_DATA, l->memory_denies ? l->memory : UINT64_MAX) < 0)
		return sl_err_set(err, errno, "io.sandlock.limits.memory_mode");
	return 0;
}

static int check_update(
	const struct supervisor *s, const struct control_request *req, struct sl_err *err)
{
	const char *const made = "the container was made without this limit, and has nothing that "
				 "could hold it; accepted: a container that was made with one";

	if (req->memory_limit != 0 && !s->memory && req->memory_limit != UINT64_MAX)
		return sl_err_set(err, 0, "linux.resources.memory.limit: %s", made);
	if (req->tasks_limit != 0 && !s->tasks && req->tasks_limit != UINT64_MAX)
		return sl_err_set(err, 0, "linux.resources.pids.limit: %s", made);
	/* A process that runs may only lower its own limit, so that an update could not raise
	 * it. */
	if (req->memory_limit != 0 && s->limits.memory_denies)
		return sl_err_set(err, 0,
			"linux.resources.memory.limit: in io.sandlock.limits.memory_mode \"deny\" "
			"each process has its limit for good; accepted: \"kill\"");
	return 0;
}

/* An update cannot exceed a limit of the annotations. */
static uint64_t at_most(uint64_t asked, uint64_t most)
{
	return asked < most ? asked : most;
}

int limits_update(struct supervisor *s, const struct control_request *req, struct sl_err *err)
{
	struct plan_limits *l = &s->limits;

	if (check_update(s, req, err) < 0 || cpu_update(s, req, err) < 0)
		return -1;
	if (req->memory_limit != 0 && s->memory) {
		l->memory = at_most(req->memory_limit, l->most_memory);
		memory_set_limit(s->memory, l->memory);
	}
	if (req->tasks_limit != 0 && s->tasks) {
		l->tasks = at_most(req->tasks_limit, l->most_tasks);
		tasks_set_limit(s->tasks, l->tasks);
	}
	if (s->sizes)
		sizes_change(s);
	return 0;
}

/* The container has used up its time: init ends it, and the exit status is that of timeout(1). */
static void on_timeout(struct loop_timer *t)
{
	struct supervisor *s = LOOP_OWNER(t, struct supervisor, timeout);

	s->timed_out = !s->main_ended;
	if (s->timed_out) {
		s->kills.timeout = 1;
		record_kills(s);
	}
	end_container(s);
}

void limits_begin(struct supervisor *s)
{
	if (s->budget)
		budget_begin(s->budget);
	if (s->sizes)
		sizes_begin(s);
	if (s->limits.timeout_s > 0)
		loop_set_timer(&s->loop, &s->timeout,
			clock_now_ms() + (int64_t)s->limits.timeout_s * 1000, on_timeout);
}

/* runtime/net and the limit of tasks share this notification. runtime/net only takes note of the
 * call. */
void limits_on_fork(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	struct supervisor *s = ctx;
	const uint64_t shares = c->args[0] & (CLONE_FILES | CLONE_THREAD);

	if (s->net && c->nr == SYS_clone && shares == CLONE_FILES)
		net_on_clone(c, v, s->net);
	if (s->tasks)
		tasks_on_fork(c, v, s->tasks);
	else
		notif_continue(v, NOTIF_SCALAR_ARGS);
}
