/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/container/internal.h"
#include "runtime/container/lacking.h"
#include "runtime/store/store.h"
#include "runtime/supervisor/spawn.h"
#include "runtime/tty/tty.h"

static int check_terminal(
	const struct container_create *req, const struct spec_process *p, struct sl_err *err)
{
	const bool terminal = p->terminal;

	if (terminal && req->terminal == CONTAINER_TERMINAL_SENT && !req->console_socket)
		return sl_err_set(err, 0,
			"cannot allocate tty if runc will detach without setting console socket");
	if (!terminal && req->console_socket)
		return sl_err_set(err, 0,
			"cannot use console socket if runc will not detach or allocate tty");
	return 0;
}

/* Socket activation (sd_listen_fds(3)). LISTEN_PID is left empty here; the process inserts its
 * own pid (init/lookup.c). */
static void tell_listen_fds(
	struct arena *a, const struct container_listen *l, struct plan_own_env *env)
{
	plan_own_env_add(env, arena_printf(a, "LISTEN_FDS=%ld", l->n));
	plan_own_env_add(env, PLAN_LISTEN_PID);
	if (l->names)
		plan_own_env_add(env, arena_printf(a, "LISTEN_FDNAMES=%s", l->names));
}

static int load(const struct runtime *rt, const struct container_create *req, struct plan *ret,
	struct sl_err *err)
{
	struct plan_request request = {
		.id = req->id,
		.bundle = req->bundle,
		.config = rt->config,
		.given = req->given,
		.new_keyring = req->keyring == CONTAINER_KEYRING_NEW,
	};
	struct lacking lacking[LACKING_MAX];
	const size_t n_lacking = lacking_list(lacking);

	if (req->listen.n)
		tell_listen_fds(rt->arena, &req->listen, &request.own_env);
	if (req->notify == CONTAINER_NOTIFY)
		container_notify_plan(rt, &request);
	if (plan_make(rt->arena, &request, ret, NULL, err) < 0 ||
		check_terminal(req, &ret->process, err) < 0)
		return -1;
	container_log(rt, RUNTIME_DEBUG,
		arena_printf(rt->arena, "planned from %s: root %s, %zu mounts, user %u:%u",
			ret->bundle, ret->fs.root_path ? ret->fs.root_path : "empty",
			ret->fs.n_mounts, ret->process.uid, ret->process.gid));
	for (size_t i = 0; i < ret->n_notes; i++)
		container_log(rt, RUNTIME_NOTE, ret->notes[i]);
	for (size_t i = 0; i < ret->n_warnings; i++)
		container_log(rt, RUNTIME_MAKING, ret->warnings[i]);
	for (size_t i = 0; i < n_lacking; i++)
		container_log(rt, RUNTIME_MAKING,
			arena_printf(rt->arena, "%s: %s", lacking[i].name, lacking[i].text));
	return 0;
}

static int hand_out(const struct container_create *req, const struct supervisor_ready *ready,
	struct sl_err *err)
{
	if (req->console_socket && tty_send_master(req->console_socket, ready->master_fd, err) < 0)
		return -1;
	return container_tell(&req->notice, ready->pid, err);
}

/* The supervisor is a child of this process, so its pid cannot be reused before waitpid(2). */
static void kill_supervisor(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* With a notice, a console socket or hooks at the start, something is to be done between the
 * making and the start. */
static bool starts_at_once(const struct container_create *req, const struct spec_hooks *hooks)
{
	return req->release != CONTAINER_PARK && !req->notice.pid_file &&
	       !req->notice.pidfd_socket && !req->console_socket &&
	       hooks->start_container.n + hooks->poststart.n == 0;
}

static int make_container(const struct runtime *rt, const struct container_create *req,
	const struct plan *plan, int dir_fd, int image_fd, int proxy_fd,
	struct container_created *ret, struct sl_err *err)
{
	const struct spec_hooks *hooks = &plan->hooks;
	const bool keep_conn = req->release >= CONTAINER_RUN_ATTACHED &&
			       hooks->poststart.n + hooks->poststop.n == 0;
	const struct supervisor_job job = {
		.plan = plan,
		.arena = rt->arena,
		.dir_fd = dir_fd,
		.image_fd = image_fd,
		.proxy_fd = proxy_fd,
		.stdio_fds = req->stdio_fds,
		.n_preserve = (int)req->n_preserve,
		.start = starts_at_once(req, hooks),
		.tell_end = keep_conn && starts_at_once(req, hooks),
	};
	struct supervisor_ready ready;

	if (req->notify == CONTAINER_NOTIFY &&
		(container_notify_make(dir_fd, err) < 0 ||
			(req->release != CONTAINER_PARK &&
				container_notify_open(dir_fd, &ret->notify_fd, err) < 0)))
		return -1;
	if (supervisor_spawn(&job, &ready, err) < 0)
		return -1;
	if (hand_out(req, &ready, err) < 0) {
		kill_supervisor(ready.pid);
		drop_fd(&ready.master_fd);
		drop_fd(&ready.conn_fd);
		return -1;
	}
	container_log(rt, RUNTIME_DEBUG,
		arena_printf(rt->arena, "made: the tracked process is %d", ready.pid));
	ret->pid = ready.pid;
	ret->stage = job.start ? CONTAINER_RUNS : CONTAINER_WAITS;
	if (keep_conn)
		ret->conn_fd = ready.conn_fd;
	else
		drop_fd(&ready.conn_fd);
	if (req->terminal == CONTAINER_TERMINAL_KEPT && !req->console_socket)
		ret->master_fd = ready.master_fd;
	else
		drop_fd(&ready.master_fd);
	return 0;
}

/* The calling process becomes the supervisor only if nothing is to be done after the end that a
 * supervisor may not do: run hooks, relay a terminal, or write in a directory of another user. */
static bool runs_here(const struct container_create *req, const struct plan *plan, int root_fd)
{
	struct stat st;

	return req->release == CONTAINER_RUN_HERE && !req->stdio_fds &&
	       req->notify == CONTAINER_NO_NOTIFY && starts_at_once(req, &plan->hooks) &&
	       plan->hooks.poststop.n == 0 && !plan->process.terminal && fstat(root_fd, &st) == 0 &&
	       st.st_uid == geteuid();
}

/* Paths are not valid after the making (supervisor_run_here()), so this uses descriptors only. */
static int run_here(const struct container_create *req, const struct plan *plan, struct arena *a,
	int root_fd, int *dir_fd, int *image_fd, int proxy_fd, struct container_created *ret,
	struct sl_err *err)
{
	const struct supervisor_job job = {
		.plan = plan,
		.arena = a,
		.dir_fd = take_fd(dir_fd),
		.image_fd = take_fd(image_fd),
		.proxy_fd = proxy_fd,
		.n_preserve = (int)req->n_preserve,
		.start = true,
		.keep_stdio = true,
		.state_root_fd = req->remains == CONTAINER_STATE_STAYS ? -1 : root_fd,
	};
	struct sl_err ignored;

	if (supervisor_run_here(&job, &ret->status, err) < 0) {
		store_remove(root_fd, req->id, &ignored);
		return -1;
	}
	ret->stage = CONTAINER_ENDED;
	return 0;
}

/* Removes the state directory of a failed create. Its processes have ended already;
 * container_open() kills those that have not. */
static void clean_up(const struct runtime *rt, int root_fd, const char *id)
{
	auto_container struct container c = CONTAINER_NONE;
	struct sl_err ignored;

	if (container_open(rt, id, CONTAINER_READ, &c, &ignored) == 0)
		container_destroy(&c, &ignored);
	store_remove(root_fd, id, &ignored);
	store_forget_namespace(root_fd, &ignored);
}

static int check_open_files(const struct container_create *req, struct sl_err *err)
{
	const rlim_t enough = CONTAINER_OPEN_FILES_MIN + (rlim_t)req->n_preserve;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return sl_err_set(err, errno, "getrlimit");
	if (limit.rlim_cur >= enough)
		return 0;
	return sl_err_set(err, 0,
		"the limit of open files (RLIMIT_NOFILE, ulimit -n) that this command was started "
		"with is %llu; at least %llu are needed to make a container",
		(unsigned long long)limit.rlim_cur, (unsigned long long)enough);
}

int container_raise_open_files(struct arena *a, struct container_create *req, struct sl_err *err)
{
	struct rlimit *callers = arena_alloc(a, sizeof(*callers)), enough;

	if (getrlimit(RLIMIT_NOFILE, callers) < 0)
		return sl_err_set(err, errno, "getrlimit");
	enough = *callers;
	enough.rlim_cur = CONTAINER_OPEN_FILES_MIN + (rlim_t)req->n_preserve;
	if (callers->rlim_cur >= enough.rlim_cur)
		return 0;
	if (enough.rlim_cur > enough.rlim_max)
		enough.rlim_cur = enough.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &enough) < 0)
		return sl_err_set(err, errno, "raise RLIMIT_NOFILE");
	req->open_files = callers;
	return 0;
}

void container_limit_open_files(struct arena *a, const struct rlimit *limit, struct spec_process *p)
{
	struct spec_rlimit *all = arena_array(a, p->n_rlimits + 1, sizeof(*all));

	for (size_t i = 0; i < p->n_rlimits; i++) {
		all[i] = p->rlimits[i];
		if (all[i].resource == RLIMIT_NOFILE)
			return;
	}
	all[p->n_rlimits++] =
		(struct spec_rlimit){ RLIMIT_NOFILE, limit->rlim_cur, limit->rlim_max };
	p->rlimits = all;
}

int container_create(const struct runtime *rt, const struct container_create *req,
	struct container_created *ret, struct sl_err *err)
{
	auto_fd int root_fd = -1, dir_fd = -1, proxy_fd = -1, image_fd = req->image_fd;
	struct container_created created = { .master_fd = -1, .conn_fd = -1, .notify_fd = -1 };
	struct plan plan;

	if (store_check_id(req->id, err) < 0 || check_open_files(req, err) < 0 ||
		load(rt, req, &plan, err) < 0 ||
		container_open_proxy(rt, &plan.http, &proxy_fd, err) < 0)
		return -1;
	if (req->open_files)
		container_limit_open_files(rt->arena, req->open_files, &plan.process);
	if (store_open_root(rt->root, true, &root_fd, err) < 0 ||
		store_reserve(root_fd, req->id, &dir_fd, err) < 0)
		return -1;
	if (runs_here(req, &plan, root_fd)) {
		if (run_here(req, &plan, rt->arena, root_fd, &dir_fd, &image_fd, proxy_fd, &created,
			    err) < 0)
			return -1;
	} else if (make_container(rt, req, &plan, dir_fd, image_fd, proxy_fd, &created, err) < 0) {
		container_created_close(&created);
		clean_up(rt, root_fd, req->id);
		return -1;
	}
	*ret = created;
	return 0;
}

void container_created_close(struct container_created *c)
{
	drop_fd(&c->master_fd);
	drop_fd(&c->notify_fd);
	drop_fd(&c->conn_fd);
}
