/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cmd/container.h"
#include "runtime/control/control.h"

static const struct flag flags[] = { { 0 } };

static int ask(struct cli *cli, const char *id, enum control_type type, struct sl_err *err)
{
	struct control_request req = { .type = type };
	struct control_reply reply;
	auto_container struct container c = CONTAINER_NONE;

	if (container_open(cli, id, true, &c, err) < 0 || container_need_alive(&c, err) < 0 ||
		control_call(c.dir_fd, &req, &reply, err) < 0)
		return CMD_ERROR;
	return 0;
}

static int run_pause(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	return ask(cli, f->args[0], CONTROL_PAUSE, err);
}

static int run_resume(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	return ask(cli, f->args[0], CONTROL_RESUME, err);
}

const struct command cmd_pause = {
	.name = "pause",
	.usage = "<container-id>",
	.summary = "stop every process of a container until resume",
	.flags = flags,
	.min_args = 1,
	.max_args = 1,
	.failure_status = 1,
	.run = run_pause,
};

const struct command cmd_resume = {
	.name = "resume",
	.usage = "<container-id>",
	.summary = "let the processes of a paused container go on",
	.flags = flags,
	.min_args = 1,
	.max_args = 1,
	.failure_status = 1,
	.run = run_resume,
};
