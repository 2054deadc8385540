/* SPDX-License-Identifier: Apache-2.0
 *
 * Not there, and said so. `checkpoint --help` is how podman probes for it, so that does
 * not succeed either: see main.c, which asks the command's own run() for its help.
 */
#include "runtime/cmd/cmd.h"

static const struct flag flags[] = {
	{ "image-path", 0, FLAG_STRING, "not supported" },
	{ "work-path", 0, FLAG_STRING, "not supported" },
	{ "parent-path", 0, FLAG_STRING, "not supported" },
	{ "bundle", 'b', FLAG_STRING, "not supported" },
	{ "pid-file", 0, FLAG_STRING, "not supported" },
	{ "console-socket", 0, FLAG_STRING, "not supported" },
	{ "page-server", 0, FLAG_STRING, "not supported" },
	{ "manage-cgroups-mode", 0, FLAG_STRING, "not supported" },
	{ "empty-ns", 0, FLAG_STRING, "not supported" },
	{ "status-fd", 0, FLAG_STRING, "not supported" },
	{ "lsm-profile", 0, FLAG_STRING, "not supported" },
	{ "lsm-mount-context", 0, FLAG_STRING, "not supported" },
	{ "leave-running", 0, FLAG_BOOL, "not supported" },
	{ "tcp-established", 0, FLAG_BOOL, "not supported" },
	{ "ext-unix-sk", 0, FLAG_BOOL, "not supported" },
	{ "shell-job", 0, FLAG_BOOL, "not supported" },
	{ "lazy-pages", 0, FLAG_BOOL, "not supported" },
	{ "file-locks", 0, FLAG_BOOL, "not supported" },
	{ "pre-dump", 0, FLAG_BOOL, "not supported" },
	{ "auto-dedup", 0, FLAG_BOOL, "not supported" },
	{ "detach", 'd', FLAG_BOOL, "not supported" },
	{ "no-pivot", 0, FLAG_BOOL, "not supported" },
	{ "no-subreaper", 0, FLAG_BOOL, "not supported" },
	{ 0 },
};

static int refuse(struct cli *cli, const struct flags *f, struct sl_err *err)
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
	.flags = flags,
	.max_args = -1,
	.failure_status = 1,
	.run = refuse,
};

const struct command cmd_restore = {
	.name = "restore",
	.usage = "<container-id>",
	.summary = "not supported",
	.flags = flags,
	.max_args = -1,
	.failure_status = 1,
	.run = refuse,
};
