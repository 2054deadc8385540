/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands of sandlock-oci: one file each, which parses the options and calls the function
 * that does the work. main.c finds the command, reports its error once, and turns it into the
 * exit status that callers expect.
 */
#ifndef SANDLOCK_CMD_CMD_H
#define SANDLOCK_CMD_CMD_H

#include "runtime/base/err.h"
#include "runtime/cmd/flags.h"
#include "runtime/container/container.h"
#include "runtime/plan/node.h"

struct cli {
	struct runtime rt; /* the arena lives until this process exits */
	char *const *argv; /* the argument of main() */
	bool root_given;
	int log_fd; /* -1: stderr only */
	bool log_json;
	bool debug;
};

#define CMD_ERROR (-1) /* run() failed; anything else is the exit status */

struct command {
	const char *name;
	const char *usage; /* the arguments after the flags */
	const char *summary;
	const struct flag *flags;
	int min_args;
	int max_args; /* -1: no limit */
	bool stop_at_first;
	/* it always fails, also with --help, because podman takes a help text for support */
	bool unsupported;
	int failure_status; /* exit status on error: 1, or 255 for exec */
	int (*run)(struct cli *cli, const struct flags *f, struct sl_err *err);
};

extern const struct command cmd_check, cmd_checkpoint, cmd_create, cmd_delete, cmd_events, cmd_exec,
	cmd_features, cmd_kill, cmd_list, cmd_pause, cmd_policy, cmd_ps, cmd_restore, cmd_resume,
	cmd_run, cmd_spec, cmd_start, cmd_state, cmd_update, cmd_wait;

/* Writes a warning to the log and to stderr. */
void cmd_warn(struct cli *cli, const char *text);

#endif
