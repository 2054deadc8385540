/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/cmd/exec_process.h"
#include "runtime/cmd/exec_wait.h"
#include "runtime/control/control.h"
#include "runtime/supervisor/spawn.h"
#include "runtime/tty/attach.h"
#include "runtime/tty/tty.h"

static const struct flag flags[] = {
	EXEC_PROCESS_FLAGS,
	{ "detach", 'd', FLAG_BOOL, "return when it runs" },
	{ "pid-file", 0, FLAG_STRING, "file to write the process' id to" },
	{ "console-socket", 0, FLAG_STRING, "unix socket that gets the terminal's master" },
	{ "pidfd-socket", 0, FLAG_STRING, "unix socket that gets a pidfd of the process" },
	{ "preserve-fds", 0, FLAG_STRING, "hand N more descriptors, from 3 on, to the process" },
	{ "cgroup", 0, FLAG_LIST, "accepted without effect: there is no cgroup" },
	{ "ignore-paused", 0, FLAG_BOOL, "also in a paused container" },
	{ 0 },
};

struct exec {
	struct container c;
	struct spec_process process;
	const char *console_socket;
	struct container_notice notice;
	bool detach;
	bool ignore_paused;
	long n_preserve;
	int blob_fd;
	int conn_fd;
};

static int check(const struct exec *e, struct sl_err *err)
{
	if (e->c.status == RECORD_STOPPED)
		return sl_err_set(err, 0, "cannot exec in a stopped container");
	if (e->process.terminal && e->detach && !e->console_socket)
		return sl_err_set(err, 0,
			"cannot allocate tty if runc will detach without setting console socket");
	if (e->console_socket && !e->process.terminal)
		return sl_err_set(err, 0,
			"cannot use console socket if runc will not detach or allocate tty");
	return 0;
}

static int read_flags(struct cli *cli, const struct flags *f, struct exec *e, struct sl_err *err)
{
	e->console_socket = flags_string(f, "console-socket");
	e->notice.pid_file = flags_string(f, "pid-file");
	e->notice.pidfd_socket = flags_string(f, "pidfd-socket");
	e->detach = flags_bool(f, "detach");
	e->ignore_paused = flags_bool(f, "ignore-paused");
	if (flags_preserve(f, 0, &e->n_preserve, err) < 0)
		return -1;
	if (container_open(&cli->rt, f->args[0], CONTAINER_READ, &e->c, err) < 0)
		return -1;
	return exec_process_build(cli, f, &e->c, &e->process, &e->blob_fd, err);
}

/* Whether a descriptor leads to something with a name on the host, other than what the container's
 * Landlock domain was given when it was made (supervisor/ask.c). */
static bool is_of_host(int fd)
{
	struct statfs fs;
	struct stat st;

	if (fstat(fd, &st) < 0 || fstatfs(fd, &fs) < 0)
		return false;
	if (S_ISCHR(st.st_mode))
		return st.st_rdev != makedev(1, 3);
	return S_ISREG(st.st_mode) || (S_ISFIFO(st.st_mode) && fs.f_type != PIPEFS_MAGIC);
}

/* A domain cannot be given a file later, and a description of our own, opened where it has the
 * right to, would have its own place in the file: the caller's could not go on behind it. */
static void tell_of_files(struct cli *cli)
{
	static const char *const names[] = { "stdin", "stdout", "stderr" };

	for (int fd = 0; fd <= 2; fd++)
		if (is_of_host(fd))
			cmd_log(cli, "warning",
				arena_printf(cli->rt.arena,
					"exec: %s is a file of the host: the process can use it, "
					"and not open it again as /dev/%s, unless the container "
					"was created with it",
					names[fd], names[fd]));
}

/* Asks the supervisor; *ret_master_fd is the terminal's master, or -1. */
static int ask(struct exec *e, pid_t *ret_pid, int *ret_master_fd, struct sl_err *err)
{
	struct control_request req = {
		.type = CONTROL_EXEC,
		.n_preserve = (uint32_t)e->n_preserve,
		.terminal = e->process.terminal,
		.ignore_paused = e->ignore_paused,
	};
	int fds[IO_MAX_FDS], n = 0, master_fd = -1;
	struct control_reply reply;
	size_t n_fds = 0;

	fds[n++] = e->blob_fd;
	if (!e->process.terminal)
		for (int fd = 0; fd <= 2; fd++)
			fds[n++] = fd;
	for (int i = 0; i < e->n_preserve; i++)
		fds[n++] = 3 + i;
	if (control_connect(e->c.dir_fd, &e->conn_fd, err) < 0 ||
		control_send(e->conn_fd, &req, fds, (size_t)n, err) < 0 ||
		control_receive(e->conn_fd, &reply, &master_fd, 1, &n_fds, err) < 0)
		return -1;
	*ret_pid = reply.pid;
	*ret_master_fd = n_fds ? master_fd : -1;
	return 0;
}

static int attached(struct exec *e, pid_t pid, int master_fd, struct sl_err *err)
{
	int status;

	if (container_tell(&e->notice, pid, err) < 0)
		return CMD_ERROR;
	if (exec_wait_attached(e->conn_fd, pid, master_fd, &status, err) < 0)
		return CMD_ERROR;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	struct exec e = { .c = CONTAINER_NONE, .blob_fd = -1, .conn_fd = -1 };
	auto_fd int master_fd = -1;
	pid_t pid = 0;

	if (read_flags(cli, f, &e, err) < 0 || check(&e, err) < 0)
		return CMD_ERROR;
	if (!e.process.terminal)
		tell_of_files(cli);
	if (!e.detach)
		attach_block_signals();
	if (ask(&e, &pid, &master_fd, err) < 0) {
		sl_err_wrap(err, "exec failed");
		return CMD_ERROR;
	}
	cmd_debug(cli, arena_printf(cli->rt.arena, "started as process %d", pid));
	if (e.console_socket) {
		if (tty_send_master(e.console_socket, master_fd, err) < 0)
			return CMD_ERROR; /* the connection's end kills the process */
		drop_fd(&master_fd);
	}
	if (e.detach)
		return exec_leave_proxy(cli, e.conn_fd, pid, &e.notice, err) < 0 ? CMD_ERROR : 0;
	return attached(&e, pid, take_fd(&master_fd), err);
}

const struct command cmd_exec = {
	.name = "exec",
	.usage = "<container-id> <command> [args]",
	.summary = "run another process in a container",
	.flags = flags,
	.min_args = 1,
	.max_args = -1,
	.stop_at_first = true,
	.failure_status = 255,
	.run = run,
};
