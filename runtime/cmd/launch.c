/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cmd/launch.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/image.h"
#include "runtime/base/io.h"
#include "runtime/container/inside.h"
#include "runtime/cmd/listen_fds.h"
#include "runtime/cmd/notify.h"
#include "runtime/cmd/lacking.h"
#include "runtime/control/control.h"
#include "runtime/store/store.h"
#include "runtime/supervisor/spawn.h"
#include "runtime/tty/tty.h"

static int write_pid_file(const char *path, pid_t pid, struct sl_err *err)
{
	char dir[PATH_MAX], base[PATH_MAX], text[16];
	auto_fd int dir_fd = -1;

	if (snprintf(dir, sizeof(dir), "%s", path) >= (int)sizeof(dir))
		return sl_err_set(err, ENAMETOOLONG, "pid file");
	memcpy(base, dir, sizeof(base));
	dir_fd = open(dirname(dir), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return sl_err_set(err, errno, "pid file %s", path);
	snprintf(text, sizeof(text), "%d", pid);
	if (io_replace_file(dir_fd, basename(base), text, strlen(text), 0644, err) < 0)
		return sl_err_wrap(err, "pid file %s", path);
	return 0;
}

static int send_pidfd(const char *path, pid_t pid, struct sl_err *err)
{
	auto_fd int fd = pidfd_open(pid, 0);

	if (fd < 0)
		return sl_err_set(err, errno, "pidfd of %d", pid);
	return tty_send_fd(path, "pidfd", fd, err);
}

int launch_tell(const struct launch_notice *n, pid_t pid, struct sl_err *err)
{
	if (n->pidfd_socket && send_pidfd(n->pidfd_socket, pid, err) < 0)
		return -1;
	return n->pid_file ? write_pid_file(n->pid_file, pid, err) : 0;
}

int launch_parse(struct cli *cli, const struct flags *f, struct launch *ret, struct sl_err *err)
{
	const char *bundle = flags_string(f, "bundle");
	char real[PATH_MAX];

	*ret = (struct launch){
		/* Copies: the supervisor writes over the command line (proctitle.h). */
		.id = arena_strdup(cli->rt.arena, f->args[0]),
		.console_socket = flags_string(f, "console-socket"),
		.notice = { flags_string(f, "pid-file"), flags_string(f, "pidfd-socket") },
		.new_keyring = !flags_bool(f, "no-new-keyring"),
		.n_listen = listen_fds_count(),
		.notify = notify_host() != NULL,
	};
	if (flags_preserve(f, ret->n_listen, &ret->n_preserve, err) < 0)
		return -1;
	if (!realpath(bundle ? bundle : ".", real))
		return sl_err_set(err, errno, "bundle %s", bundle ? bundle : ".");
	ret->bundle = arena_strdup(cli->rt.arena, real);
	if (store_check_id(ret->id, err) < 0)
		return -1;
	return 0;
}

static int check_terminal(
	const struct launch *l, const struct spec_process *p, bool detached, struct sl_err *err)
{
	const bool terminal = p->terminal;

	if (terminal && detached && !l->console_socket)
		return sl_err_set(err, 0,
			"cannot allocate tty if runc will detach without setting console socket");
	if (!terminal && l->console_socket)
		return sl_err_set(err, 0,
			"cannot use console socket if runc will not detach or allocate tty");
	return 0;
}

static int load(struct cli *cli, const struct launch *l, bool detached, struct plan *ret,
	struct sl_err *err)
{
	struct plan_request request = {
		.id = l->id,
		.bundle = l->bundle,
		.config = cli->rt.config,
		.new_keyring = l->new_keyring,
	};
	struct lacking lacking[LACKING_MAX];
	const size_t n_lacking = lacking_list(lacking);

	if (l->n_listen)
		listen_fds_tell(cli->rt.arena, l->n_listen, &request.own_env);
	if (l->notify)
		notify_plan(cli, &request);
	if (plan_make(cli->rt.arena, &request, ret, NULL, err) < 0 ||
		check_terminal(l, &ret->process, detached, err) < 0)
		return -1;
	cmd_debug(
		cli, arena_printf(cli->rt.arena, "planned from %s: root %s, %zu mounts, user %u:%u",
			     ret->bundle, ret->fs.root_path, ret->fs.n_mounts, ret->process.uid,
			     ret->process.gid));
	for (size_t i = 0; i < ret->n_notes; i++)
		cmd_log(cli, "warning", ret->notes[i]);
	for (size_t i = 0; i < ret->n_warnings; i++)
		cli->rt.log(cli, RUNTIME_MAKING, ret->warnings[i]);
	for (size_t i = 0; i < n_lacking; i++)
		cli->rt.log(cli, RUNTIME_MAKING,
			arena_printf(cli->rt.arena, "%s: %s", lacking[i].name, lacking[i].text));
	return 0;
}

static int hand_out(
	const struct launch *l, const struct supervisor_ready *ready, struct sl_err *err)
{
	if (l->console_socket && tty_send_master(l->console_socket, ready->master_fd, err) < 0)
		return -1;
	return launch_tell(&l->notice, ready->pid, err);
}

/* The supervisor is our child here, so its number can't be recycled under us. */
static void abandon(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* What is handed out, and hooks, come between the making and the start. */
static bool starts_at_once(const struct launch *l, const struct spec_hooks *hooks)
{
	return l->want_start && !l->notice.pid_file && !l->notice.pidfd_socket &&
	       !l->console_socket && hooks->start_container.n + hooks->poststart.n == 0;
}

static int make(struct cli *cli, const struct launch *l, const struct plan *plan, int dir_fd,
	int image_fd, struct launched *ret, struct sl_err *err)
{
	const struct spec_hooks *hooks = &plan->hooks;
	const bool keep_conn = l->want_conn && hooks->poststart.n + hooks->poststop.n == 0;
	const struct supervisor_job job = {
		.plan = plan,
		.arena = cli->rt.arena,
		.dir_fd = dir_fd,
		.image_fd = image_fd,
		.n_preserve = (int)l->n_preserve,
		.start = starts_at_once(l, hooks),
		.tell_end = keep_conn && starts_at_once(l, hooks),
	};
	struct supervisor_ready ready;

	if (l->notify && (notify_make(dir_fd, err) < 0 ||
				 (l->want_start && notify_open(dir_fd, &ret->notify_fd, err) < 0)))
		return -1;
	if (supervisor_spawn(&job, &ready, err) < 0)
		return -1;
	if (hand_out(l, &ready, err) < 0) {
		abandon(ready.pid);
		drop_fd(&ready.master_fd);
		drop_fd(&ready.conn_fd);
		return -1;
	}
	cmd_debug(cli, arena_printf(cli->rt.arena, "made: the tracked process is %d", ready.pid));
	ret->pid = ready.pid;
	ret->started = job.start;
	if (keep_conn)
		ret->conn_fd = ready.conn_fd;
	else
		drop_fd(&ready.conn_fd);
	if (l->want_master)
		ret->master_fd = ready.master_fd;
	else
		drop_fd(&ready.master_fd);
	return 0;
}

/* Where this process need not do after the end what its supervisor may not: run hooks, relay a
 * terminal, or write below another user's directory. */
static bool runs_here(const struct launch *l, const struct plan *plan, int root_fd)
{
	struct stat st;

	return l->want_here && !l->notify && starts_at_once(l, &plan->hooks) &&
	       plan->hooks.poststop.n == 0 && !plan->process.terminal && fstat(root_fd, &st) == 0 &&
	       st.st_uid == geteuid();
}

/* By descriptors only, from the making on. */
static int run_here(struct cli *cli, const struct launch *l, const struct plan *plan, int root_fd,
	int *dir_fd, int *image_fd, struct launched *ret, struct sl_err *err)
{
	const struct supervisor_job job = {
		.plan = plan,
		.arena = cli->rt.arena,
		.dir_fd = take_fd(dir_fd),
		.image_fd = take_fd(image_fd),
		.n_preserve = (int)l->n_preserve,
		.start = true,
		.keep_stdio = true,
		.state_root_fd = l->keep_state ? -1 : root_fd,
	};
	struct sl_err ignored;

	if (supervisor_run_here(&job, &ret->status, err) < 0) {
		store_remove(root_fd, l->id, &ignored);
		return -1;
	}
	ret->ended = true;
	return 0;
}

/* What a failed create leaves in the state directory goes; processes are gone already, or are
 * swept. */
static void clean_up(struct cli *cli, int root_fd, const char *id)
{
	auto_container struct container c = CONTAINER_NONE;
	struct sl_err ignored;

	if (container_open(&cli->rt, id, CONTAINER_READ, &c, &ignored) == 0)
		container_destroy(&c, &ignored);
	store_remove(root_fd, id, &ignored);
	store_forget_namespace(root_fd, &ignored);
}

/* What making a container opens at a time, with room for a bundle of many mounts. Where it ran out
 * in the middle, nothing could be cleaned up either. */
#define DESCRIPTORS_MIN 64

static int check_descriptors(const struct launch *l, struct rlimit *ret, struct sl_err *err)
{
	if (getrlimit(RLIMIT_NOFILE, ret) < 0)
		return sl_err_set(err, errno, "getrlimit");
	if (ret->rlim_max >= (rlim_t)(DESCRIPTORS_MIN + l->n_preserve))
		return 0;
	return sl_err_set(err, 0,
		"the limit of open files (RLIMIT_NOFILE, ulimit -n) that this command was started "
		"with is %llu; at least %ld are needed to make a container",
		(unsigned long long)ret->rlim_max, DESCRIPTORS_MIN + l->n_preserve);
}

/* The soft limit is ours to raise; the process has the caller's, where the bundle names none. */
static int raise_descriptors(struct cli *cli, const struct launch *l, const struct rlimit *caller,
	struct spec_process *p, struct sl_err *err)
{
	struct rlimit enough = *caller;
	struct spec_rlimit *all = arena_array(cli->rt.arena, p->n_rlimits + 1, sizeof(*all));
	bool named = false;

	enough.rlim_cur = (rlim_t)(DESCRIPTORS_MIN + l->n_preserve);
	if (caller->rlim_cur >= enough.rlim_cur)
		return 0;
	if (setrlimit(RLIMIT_NOFILE, &enough) < 0)
		return sl_err_set(err, errno, "raise RLIMIT_NOFILE");
	for (size_t i = 0; i < p->n_rlimits; i++) {
		all[i] = p->rlimits[i];
		named |= all[i].resource == RLIMIT_NOFILE;
	}
	if (named)
		return 0;
	all[p->n_rlimits++] =
		(struct spec_rlimit){ RLIMIT_NOFILE, caller->rlim_cur, caller->rlim_max };
	p->rlimits = all;
	return 0;
}

int launch_container(struct cli *cli, const struct launch *l, bool detached, struct launched *ret,
	struct sl_err *err)
{
	auto_fd int root_fd = -1, dir_fd = -1, image_fd = -1;
	struct rlimit caller;
	struct plan plan;

	*ret = (struct launched){ .master_fd = -1, .conn_fd = -1, .notify_fd = -1 };
	/* Before there is anything: it may execute this command again. */
	if (check_descriptors(l, &caller, err) < 0 ||
		image_protect(cli->argv, &image_fd, err) < 0 ||
		load(cli, l, detached, &plan, err) < 0 ||
		raise_descriptors(cli, l, &caller, &plan.process, err) < 0 ||
		store_open_root(cli->rt.root, true, &root_fd, err) < 0 ||
		store_reserve(root_fd, l->id, &dir_fd, err) < 0)
		return -1;
	if (runs_here(l, &plan, root_fd))
		return run_here(cli, l, &plan, root_fd, &dir_fd, &image_fd, ret, err);
	if (make(cli, l, &plan, dir_fd, image_fd, ret, err) < 0) {
		clean_up(cli, root_fd, l->id);
		return -1;
	}
	return 0;
}

int launch_release(const struct launched *l, struct sl_err *err)
{
	struct control_request req = { .type = CONTROL_START, .until_end = 1 };
	struct control_reply reply;
	size_t n_fds;

	if (control_send(l->conn_fd, &req, NULL, 0, err) < 0)
		return -1;
	return control_receive(l->conn_fd, &reply, NULL, 0, &n_fds, err);
}

int launch_start(struct cli *cli, const char *id, struct sl_err *err)
{
	struct control_request req = { .type = CONTROL_START };
	struct control_reply reply;
	auto_container struct container c = CONTAINER_NONE;

	if (container_open(&cli->rt, id, CONTAINER_CHANGE, &c, err) < 0)
		return -1;
	if (c.status == RECORD_STOPPED)
		return sl_err_set(err, 0, "cannot start a container that has stopped");
	if (c.status == RECORD_RUNNING || c.status == RECORD_PAUSED)
		return sl_err_set(err, 0, "cannot start an already running container");
	if (control_call(c.dir_fd, &req, &reply, err) < 0)
		return -1;
	c.status = RECORD_RUNNING;
	cmd_debug(cli, "started");
	return container_poststart(&cli->rt, &c, err);
}
