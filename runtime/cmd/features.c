/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "runtime/cmd/cmd.h"

static const struct flag features_flags[] = { { 0 } };

static int features_run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	size_t len;

	(void)f;
	(void)err;
	fputs(container_features(cli->rt.arena, &len), stdout);
	return 0;
}

const struct command cmd_features = {
	.name = "features",
	.usage = "",
	.summary = "print what this runtime supports (JSON)",
	.flags = features_flags,
	.max_args = 0,
	.failure_status = 1,
	.run = features_run,
};
