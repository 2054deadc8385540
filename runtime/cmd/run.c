/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/daemon.h"
#include "runtime/cmd/launch.h"
#include "runtime/cmd/notify.h"
#include "runtime/control/control.h"
#include "runtime/tty/attach.h"

static const struct flag run_flags[] = { LAUNCH_FLAGS,
	{ "detach", 'd', FLAG_BOOL, "return when it runs" },
	{ "keep", 0, FLAG_BOOL, "keep the state when it has ended" },
	{ "no-subreaper", 0, FLAG_BOOL, "accepted without effect" }, { 0 } };

struct foreground {
	struct cli *cli;
	int pid_fd;
	int notify_fd; /* -1: the caller has given no NOTIFY_SOCKET */
	bool told;
};

static void forward_to_container(int sig, void *ctx)
{
	const struct foreground *w = ctx;

	pidfd_send_signal(w->pid_fd, sig, NULL, 0);
}

/* Messages after READY are received but not forwarded. */
static void on_notify(void *ctx)
{
	struct foreground *w = ctx;

	if (!notify_is_ready(w->notify_fd) || w->told)
		return;
	/* As in runc, the main pid is that of this process, which stays in the foreground. */
	notify_tell(w->cli, getpid(), false);
	w->told = true;
}

/* For --detach: waits for READY, and reports the pid of the tracked process. */
static int wait_ready(struct cli *cli, const struct container_created *l, struct sl_err *err)
{
	auto_fd int pid_fd = -1;

	if (l->notify_fd < 0)
		return 0;
	pid_fd = pidfd_open(l->pid, 0);
	if (pid_fd < 0)
		return sl_err_set(err, errno, "watch the container");
	notify_wait(cli, l->notify_fd, pid_fd, l->pid);
	return 0;
}

/* Waits for the end. *ret_over: the supervisor has reported that no process of the container is
 * left; the supervisor itself may still be there. */
static int wait_for(
	struct cli *cli, const struct container_created *l, bool *ret_over, struct sl_err *err)
{
	auto_fd int pid_fd = pidfd_open(l->pid, 0);
	struct foreground w = { .cli = cli, .pid_fd = pid_fd, .notify_fd = l->notify_fd };
	struct control_reply reply = { .type = CONTROL_DONE };
	size_t n_fds;
	const struct attach at = {
		.end_fd = l->conn_fd >= 0 ? l->conn_fd : pid_fd,
		.master_fd = l->master_fd,
		.on_signal = forward_to_container,
		.also_fd = l->notify_fd,
		.on_also = on_notify,
		.ctx = &w,
	};

	if (pid_fd < 0)
		return sl_err_set(err, errno, "pidfd_open");
	if (attach_wait(&at, err) < 0)
		return -1;
	*ret_over = l->conn_fd >= 0 &&
		    control_receive(l->conn_fd, &reply, NULL, 0, &n_fds, err) == 0 &&
		    reply.type == CONTROL_EXITED;
	return 0;
}

/* Waits for a container of this process, and removes it. */
static int finish_run(struct cli *cli, const struct flags *f, const struct container_create *req,
	const struct container_created *c, struct sl_err *err)
{
	const bool keep = flags_bool(f, "keep");
	bool over = false;
	int status = 0, rc = wait_for(cli, c, &over, err);

	/* No process of the container is left, so its state is removed while the supervisor is
	 * still ending. */
	if (over && !keep && container_forget(&cli->rt, req->id, err) < 0)
		return CMD_ERROR;
	/* The tracked process is a child and ends as the workload does. */
	if (waitpid(c->pid, &status, 0) < 0) {
		sl_err_set(err, errno, "wait for the container");
		return CMD_ERROR;
	}
	if (!over && !keep && container_delete(&cli->rt, req->id, CONTAINER_DELETE_ANY, err) < 0)
		return CMD_ERROR;
	return rc < 0 ? CMD_ERROR : daemon_exit_code(status);
}

static int run_run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	const bool detach = flags_bool(f, "detach");
	struct container_create req;
	struct container_created c;

	if (launch_prepare(cli, f, &req, err) < 0)
		return CMD_ERROR;
	/* Pid 1 of a pid namespace cannot be the supervisor: the filter could not protect it
	 * from kill(2), because kill(-1) means all processes. */
	req.release = detach          ? CONTAINER_RUN
		      : getpid() == 1 ? CONTAINER_RUN_ATTACHED
				      : CONTAINER_RUN_HERE;
	req.remains = flags_bool(f, "keep") ? CONTAINER_STATE_STAYS : CONTAINER_STATE_GOES;
	req.terminal = detach ? CONTAINER_TERMINAL_SENT : CONTAINER_TERMINAL_KEPT;
	if (!detach)
		attach_block_signals();
	if (container_run(&cli->rt, &req, &c, err) < 0)
		return CMD_ERROR;
	if (c.stage == CONTAINER_ENDED)
		return daemon_exit_code(c.status);
	if (detach)
		return wait_ready(cli, &c, err) < 0 ? CMD_ERROR : 0;
	return finish_run(cli, f, &req, &c, err);
}

const struct command cmd_run = {
	.name = "run",
	.usage = "<container-id>",
	.summary = "create and start a container, and wait for its end",
	.flags = run_flags,
	.min_args = 1,
	.max_args = 1,
	.failure_status = 1,
	.run = run_run,
};
