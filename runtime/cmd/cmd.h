/* SPDX-License-Identifier: Apache-2.0
 *
 * The verbs of sandlock-oci: one file each, which parses its options and calls what does
 * the work. main.c finds the verb, reports its error once, and turns it into the exit
 * status that callers expect.
 */
#ifndef SANDLOCK_CMD_CMD_H
#define SANDLOCK_CMD_CMD_H

#include "runtime/base/err.h"
#include "runtime/cmd/flags.h"
#include "runtime/container/container.h"
#include "runtime/plan/node.h"

struct cli {
	struct runtime rt; /* its arena lasts until this process ends */
	char *const *argv; /* as main() has it */
	bool root_given;
	int log_fd; /* -1: stderr only */
	bool log_json;
	bool debug;
};

#define CMD_ERROR (-1) /* run() failed; anything else is the exit status */

struct command {
	const char *name;
	const char *usage; /* what follows the flags */
	const char *summary;
	const struct flag *flags;
	int min_args;
	int max_args; /* -1: any */
	bool stop_at_first;
	bool unsupported;   /* every form fails, --help too: podman takes that for support */
	int failure_status; /* exit status on error: 1, or 255 for exec */
	int (*run)(struct cli *cli, const struct flags *f, struct sl_err *err);
};

extern const struct command cmd_check, cmd_checkpoint, cmd_create, cmd_delete, cmd_events, cmd_exec,
	cmd_features, cmd_kill, cmd_list, cmd_pause, cmd_policy, cmd_ps, cmd_restore, cmd_resume,
	cmd_run, cmd_spec, cmd_start, cmd_state, cmd_update, cmd_wait;

/* The same as a warning, and a line on stderr. */
void cmd_warn(struct cli *cli, const char *text);

#endif
