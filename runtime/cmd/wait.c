/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "runtime/base/daemon.h"
#include "runtime/cmd/cmd.h"

#define SECONDS_MAX 2000000 /* so that it fits an int in milliseconds */

static const struct flag wait_flags[] = {
	{ "timeout", 0, FLAG_STRING, "fail when it has not ended after so many seconds" },
	{ 0 },
};

static int run_wait(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	auto_container struct container c = CONTAINER_NONE;
	long seconds;
	int status;

	if (flags_number(f, "timeout", 0, SECONDS_MAX, -1, &seconds, err) < 0 ||
		container_open(&cli->rt, f->args[0], CONTAINER_READ, &c, err) < 0 ||
		container_wait_end(&c, seconds < 0 ? -1 : (int)seconds * 1000, &status, err) < 0)
		return CMD_ERROR;
	printf("%d\n", daemon_exit_code(status));
	return 0;
}

const struct command cmd_wait = {
	.name = "wait",
	.usage = "<container-id>",
	.summary = "wait for the end of a container and print its exit status",
	.flags = wait_flags,
	.min_args = 1,
	.max_args = 1,
	.failure_status = 1,
	.run = run_wait,
};
