/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "runtime/cmd/cmd.h"

static const struct flag state_flags[] = { { 0 } };

static int state_run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	struct spec_state state;
	auto_container struct container c = CONTAINER_NONE;
	size_t len;

	if (container_open(&cli->rt, f->args[0], CONTAINER_READ, &c, err) < 0)
		return CMD_ERROR;
	container_state(&cli->rt, &c, &state);
	container_ports(&cli->rt, &c, &state);
	fputs(spec_state_render(cli->rt.arena, &state, true, &len), stdout);
	return 0;
}

const struct command cmd_state = {
	.name = "state",
	.usage = "<container-id>",
	.summary = "print the state of a container (JSON)",
	.flags = state_flags,
	.min_args = 1,
	.max_args = 1,
	.failure_status = 1,
	.run = state_run,
};
