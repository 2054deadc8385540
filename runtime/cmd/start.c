/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cmd/cmd.h"
#include "runtime/cmd/notify.h"

static const struct flag start_flags[] = { { 0 } };

static int start_run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	const struct container_start req = {
		.id = f->args[0],
		.notify = notify_host() ? CONTAINER_NOTIFY : CONTAINER_NO_NOTIFY,
	};
	struct container_started started;

	if (container_start(&cli->rt, &req, &started, err) < 0)
		return CMD_ERROR;
	/* container_start() has released the lock, so other commands need not wait for READY. */
	if (started.notify_fd >= 0)
		notify_wait(cli, started.notify_fd, started.pid_fd, started.pid);
	return 0;
}

const struct command cmd_start = {
	.name = "start",
	.usage = "<container-id>",
	.summary = "run the process of a created container",
	.flags = start_flags,
	.min_args = 1,
	.max_args = 1,
	.failure_status = 1,
	.run = start_run,
};
