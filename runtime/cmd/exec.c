/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/daemon.h"
#include "runtime/cmd/exec_process.h"
#include "runtime/cmd/exec_wait.h"
#include "runtime/tty/attach.h"

static const struct flag exec_flags[] = {
	EXEC_PROCESS_FLAGS,
	{ "detach", 'd', FLAG_BOOL, "return as soon as it runs" },
	{ "pid-file", 0, FLAG_STRING, "file to write the process' id to" },
	{ "console-socket", 0, FLAG_STRING, "unix socket that gets the terminal's master" },
	{ "pidfd-socket", 0, FLAG_STRING, "unix socket that gets a pidfd of the process" },
	{ "preserve-fds", 0, FLAG_STRING, "hand N more descriptors, from 3 on, to the process" },
	{ "cgroup", 0, FLAG_LIST, "accepted without effect: there is no cgroup" },
	{ "ignore-paused", 0, FLAG_BOOL, "in a paused container too" },
	{ 0 },
};

static const int *preserved(struct arena *a, size_t n)
{
	int *fds = arena_array(a, n + 1, sizeof(*fds));

	for (size_t i = 0; i < n; i++)
		fds[i] = 3 + (int)i;
	return fds;
}

static int read_flags(struct cli *cli, const struct flags *f, struct container *c,
	struct container_exec *ret, struct sl_err *err)
{
	long n;

	if (flags_preserve(f, 0, &n, err) < 0 ||
		container_open(&cli->rt, f->args[0], CONTAINER_READ, c, err) < 0 ||
		container_exec_base(&cli->rt, c, ret, err) < 0)
		return -1;
	ret->console_socket = flags_string(f, "console-socket");
	if (!flags_bool(f, "detach"))
		ret->terminal = CONTAINER_TERMINAL_KEPT;
	if (flags_bool(f, "ignore-paused"))
		ret->paused = CONTAINER_PAUSED_TOO;
	ret->n_extra = (size_t)n;
	ret->extra_fds = preserved(cli->rt.arena, ret->n_extra);
	return exec_process_read(cli, f, &ret->process, err);
}

static int attached(
	const struct container_execed *x, const struct container_notice *notice, struct sl_err *err)
{
	int status;

	if (container_tell(notice, x->pid, err) < 0)
		return CMD_ERROR;
	if (exec_wait_attached(x->conn_fd, x->pid, x->master_fd, &status, err) < 0)
		return CMD_ERROR;
	return daemon_exit_code(status);
}

static int exec_run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	const struct container_notice notice = {
		.pid_file = flags_string(f, "pid-file"),
		.pidfd_socket = flags_string(f, "pidfd-socket"),
	};
	const bool detach = flags_bool(f, "detach");
	auto_container struct container c = CONTAINER_NONE;
	struct container_exec req;
	struct container_execed x;

	if (read_flags(cli, f, &c, &req, err) < 0)
		return CMD_ERROR;
	if (!detach)
		attach_block_signals();
	if (container_exec(&cli->rt, &c, &req, &x, err) < 0)
		return CMD_ERROR;
	if (detach)
		return exec_leave_proxy(cli, x.conn_fd, x.pid, &notice, err) < 0 ? CMD_ERROR : 0;
	return attached(&x, &notice, err);
}

const struct command cmd_exec = {
	.name = "exec",
	.usage = "<container-id> <command> [args]",
	.summary = "run another process in a container",
	.flags = exec_flags,
	.min_args = 1,
	.max_args = -1,
	.stop_at_first = true,
	.failure_status = 255,
	.run = exec_run,
};
