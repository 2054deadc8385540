/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cmd/launch.h"

static const struct flag flags[] = { { 0 } };

static int run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	return launch_start(cli, f->args[0], err) < 0 ? CMD_ERROR : 0;
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
