/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cmd/cmd.h"

static const struct flag delete_flags[] = {
	{ "force", 'f', FLAG_BOOL, "kill it first; a container that is not there is no error" },
	{ 0 }
};

static int delete_run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	const enum container_delete what =
		flags_bool(f, "force") ? CONTAINER_DELETE_ANY : CONTAINER_DELETE_STOPPED;

	return container_delete(&cli->rt, f->args[0], what, err) < 0 ? CMD_ERROR : 0;
}

const struct command cmd_delete = {
	.name = "delete",
	.usage = "<container-id>",
	.summary = "remove a container that has stopped",
	.flags = delete_flags,
	.min_args = 1,
	.max_args = 1,
	.failure_status = 1,
	.run = delete_run,
};
