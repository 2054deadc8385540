/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>

#include "runtime/cmd/container.h"
#include "runtime/control/control.h"

static const struct flag flags[] = {
	{ "all", 'a', FLAG_BOOL, "signal every process of the container" }, { 0 }
};

static int signal_all(const struct container *c, int sig, struct sl_err *err)
{
	struct control_request req = { .type = CONTROL_SIGNAL_ALL, .signal = sig };
	struct control_reply reply;

	/* Nothing runs, so every process has been signalled. */
	if (c->status == RECORD_STOPPED)
		return 0;
	/* The main process' end takes everything along, also of a supervisor that hangs. */
	if (sig == SIGKILL)
		return container_signal(c, sig, err);
	return control_call(c->dir_fd, &req, &reply, err);
}

static int run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	auto_container struct container c = CONTAINER_NONE;
	int sig = SIGTERM;

	if (f->n_args > 1 && container_parse_signal(f->args[1], &sig, err) < 0)
		return CMD_ERROR;
	if (container_open(cli, f->args[0], false, &c, err) < 0)
		return CMD_ERROR;
	if (flags_bool(f, "all"))
		return signal_all(&c, sig, err) < 0 ? CMD_ERROR : 0;
	return container_signal(&c, sig, err) < 0 ? CMD_ERROR : 0;
}

const struct command cmd_kill = {
	.name = "kill",
	.usage = "<container-id> [signal]",
	.summary = "send a signal to a container's main process (default TERM)",
	.flags = flags,
	.min_args = 1,
	.max_args = 2,
	.failure_status = 1,
	.run = run,
};
