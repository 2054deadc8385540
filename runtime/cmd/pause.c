/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cmd/cmd.h"

static const struct flag pause_flags[] = { { 0 } };

static int run_pause(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	return container_pause(&cli->rt, f->args[0], err) < 0 ? CMD_ERROR : 0;
}

static int run_resume(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	return container_resume(&cli->rt, f->args[0], err) < 0 ? CMD_ERROR : 0;
}

const struct command cmd_pause = {
	.name = "pause",
	.usage = "<container-id>",
	.summary = "stop every process of a container until resume",
	.flags = pause_flags,
	.min_args = 1,
	.max_args = 1,
	.failure_status = 1,
	.run = run_pause,
};

const struct command cmd_resume = {
	.name = "resume",
	.usage = "<container-id>",
	.summary = "let the processes of a paused container go on",
	.flags = pause_flags,
	.min_args = 1,
	.max_args = 1,
	.failure_status = 1,
	.run = run_resume,
};
