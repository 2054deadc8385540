/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cmd/launch.h"

static const struct flag create_flags[] = { LAUNCH_FLAGS,
	{ "detach", 'd', FLAG_BOOL, "accepted without effect: create always detaches" }, { 0 } };

static int create_run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	struct container_create req;
	struct container_created created;

	if (launch_prepare(cli, f, &req, err) < 0 ||
		container_create(&cli->rt, &req, &created, err) < 0)
		return CMD_ERROR;
	return 0;
}

const struct command cmd_create = {
	.name = "create",
	.usage = "<container-id>",
	.summary = "make a container; its process waits for start",
	.flags = create_flags,
	.min_args = 1,
	.max_args = 1,
	.failure_status = 1,
	.run = create_run,
};
