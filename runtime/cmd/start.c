/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/cleanup.h"
#include "runtime/base/proc.h"
#include "runtime/cmd/cmd.h"
#include "runtime/cmd/launch.h"
#include "runtime/cmd/notify.h"

static const struct flag flags[] = { { 0 } };

/* With NOTIFY_SOCKET: the process, and the socket on which it says that it is ready. */
struct tracked {
	pid_t pid;
	int pid_fd;
	int notify_fd;
};

static int prepare_notify(struct cli *cli, const char *id, struct tracked *ret, struct sl_err *err)
{
	auto_container struct container c = CONTAINER_NONE;

	if (!notify_host())
		return 0;
	if (container_open(&cli->rt, id, CONTAINER_READ, &c, err) < 0)
		return -1;
	if (c.status != RECORD_CREATED)
		return 0; /* launch_start() says what that means */
	ret->pid = c.record.supervisor.pid;
	ret->pid_fd = proc_pidfd(c.proc_fd, &c.record.supervisor);
	if (ret->pid_fd < 0)
		return sl_err_set(err, errno, "watch the container");
	return notify_open(c.dir_fd, &ret->notify_fd, err);
}

static int run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	struct tracked t = { .pid_fd = -1, .notify_fd = -1 };

	if (prepare_notify(cli, f->args[0], &t, err) < 0 || launch_start(cli, f->args[0], err) < 0)
		return CMD_ERROR;
	/* The lock of the state is free again: other verbs need not wait until it is ready. */
	if (t.notify_fd >= 0)
		notify_wait(cli, t.notify_fd, t.pid_fd, t.pid);
	return 0;
}

const struct command cmd_start = {
	.name = "start",
	.usage = "<container-id>",
	.summary = "run the process of a created container",
	.flags = flags,
	.min_args = 1,
	.max_args = 1,
	.failure_status = 1,
	.run = run,
};
