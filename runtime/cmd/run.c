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
	int notify_fd; /* -1: nobody is to be told that it is ready */
	bool told;
};

static void forward_to_container(int sig, void *ctx)
{
	const struct foreground *w = ctx;

	pidfd_send_signal(w->pid_fd, sig, NULL, 0);
}

/* What comes behind READY is taken as well, and passed on to nobody. */
static void on_notify(void *ctx)
{
	struct foreground *w = ctx;

	if (!notify_is_ready(w->notify_fd) || w->told)
		return;
	/* As runc has it: who started us goes on watching us. */
	notify_tell(w->cli, getpid(), false);
	w->told = true;
}

/* The same for a caller who goes on without us. */
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

/* Until the end. *ret_over: the supervisor said that nothing of the container runs any more,
 * though it may itself still be there. */
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

/* The end of one that this process has waited for. */
static int finish_run(struct cli *cli, const struct flags *f, const struct container_create *req,
	const struct container_created *c, struct sl_err *err)
{
	const bool keep = flags_bool(f, "keep");
	bool over = false;
	int status = 0, rc = wait_for(cli, c, &over, err);

	/* While the supervisor takes the tree down: nothing is left that would need a look. */
	if (over && !keep && container_forget(&cli->rt, req->id, err) < 0)
		return CMD_ERROR;
	/* The tracked process is our child and mirrors the workload's end. */
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
	/* The first process of a namespace would be a supervisor that no filter can shield: its
	 * number with a minus means everybody to kill(2). */
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
