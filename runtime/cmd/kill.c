/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>

#include "runtime/cmd/cmd.h"

static const struct flag kill_flags[] = {
	{ "all", 'a', FLAG_BOOL, "signal every process of the container" }, { 0 }
};

static int kill_run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	auto_container struct container c = CONTAINER_NONE;
	const bool all = flags_bool(f, "all");
	int sig = SIGTERM;

	if (f->n_args > 1 && container_parse_signal(f->args[1], &sig, err) < 0)
		return CMD_ERROR;
	if (container_open(&cli->rt, f->args[0], CONTAINER_READ, &c, err) < 0)
		return CMD_ERROR;
	return container_signal(&c, sig, all ? CONTAINER_EVERYONE : CONTAINER_MAIN, err) < 0
		       ? CMD_ERROR
		       : 0;
}

const struct command cmd_kill = {
	.name = "kill",
	.usage = "<container-id> [signal]",
	.summary = "send a signal to a container's main process (default TERM)",
	.flags = kill_flags,
	.min_args = 1,
	.max_args = 2,
	.failure_status = 1,
	.run = kill_run,
};
