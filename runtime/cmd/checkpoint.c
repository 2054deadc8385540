/* SPDX-License-Identifier: Apache-2.0
 *
 * Checkpoint and restore are not supported. Both commands say so whatever the flags; flags are
 * not parsed.
 */
#include "runtime/cmd/cmd.h"

static const struct flag checkpoint_flags[] = { { 0 } };

static int refuse_checkpoint(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	(void)cli;
	(void)f;
	return sl_err_set(err, 0,
		"checkpoint and restore are not supported: the container's processes live in the "
		"host's process table, where a restored one could not have its old number");
}

const struct command cmd_checkpoint = {
	.name = "checkpoint",
	.usage = "<container-id>",
	.summary = "not supported",
	.flags = checkpoint_flags,
	.max_args = -1,
	.unsupported = true,
	.failure_status = 1,
	.run = refuse_checkpoint,
};

const struct command cmd_restore = {
	.name = "restore",
	.usage = "<container-id>",
	.summary = "not supported",
	.flags = checkpoint_flags,
	.max_args = -1,
	.unsupported = true,
	.failure_status = 1,
	.run = refuse_checkpoint,
};
