/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "runtime/base/cleanup.h"
#include "runtime/cmd/delete.h"
#include "runtime/cmd/launch.h"
#include "runtime/tty/attach.h"

static const struct flag flags[] = { LAUNCH_FLAGS,
	{ "detach", 'd', FLAG_BOOL, "return when it runs" },
	{ "keep", 0, FLAG_BOOL, "keep the state when it has ended" },
	{ "no-subreaper", 0, FLAG_BOOL, "accepted without effect: init is the sub-reaper" },
	{ 0 } };

static void forward(int sig, void *ctx)
{
	pidfd_send_signal(*(int *)ctx, sig, NULL, 0);
}

/* The tracked process is our child and mirrors the workload's end. */
static int wait_for(const struct launched *l, int *ret_status, struct sl_err *err)
{
	auto_fd int pid_fd = pidfd_open(l->pid, 0);
	const struct attach at = {
		.end_fd = pid_fd,
		.master_fd = l->master_fd,
		.on_signal = forward,
		.ctx = &pid_fd,
	};

	if (pid_fd < 0)
		return sl_err_set(err, errno, "pidfd_open");
	if (attach_wait(&at, err) < 0)
		return -1;
	if (waitpid(l->pid, ret_status, 0) < 0)
		return sl_err_set(err, errno, "wait for the container");
	return 0;
}

static int run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	bool detach = flags_bool(f, "detach");
	struct launched launched;
	struct launch l;
	struct sl_err ignored;
	int status = 0, rc;

	if (launch_parse(cli, f, &l, err) < 0)
		return CMD_ERROR;
	l.want_master = !detach && !l.console_socket;
	if (!detach)
		attach_block_signals();
	if (launch_container(cli, &l, detach, &launched, err) < 0)
		return CMD_ERROR;
	if (launch_start(cli, l.id, err) < 0) {
		delete_container(cli, l.id, true, &ignored);
		return CMD_ERROR;
	}
	if (detach)
		return 0;
	rc = wait_for(&launched, &status, err);
	if (!flags_bool(f, "keep") && delete_container(cli, l.id, true, err) < 0)
		return CMD_ERROR;
	if (rc < 0)
		return CMD_ERROR;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

const struct command cmd_run = {
	.name = "run",
	.usage = "<container-id>",
	.summary = "create and start a container, and wait for its end",
	.flags = flags,
	.min_args = 1,
	.max_args = 1,
	.failure_status = 1,
	.run = run,
};
