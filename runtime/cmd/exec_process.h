/* SPDX-License-Identifier: Apache-2.0
 *
 * What `exec` runs: the container's own process object as the base, then either a whole
 * object from a file or the flags.
 */
#ifndef SANDLOCK_CMD_EXEC_PROCESS_H
#define SANDLOCK_CMD_EXEC_PROCESS_H

#include "runtime/cmd/cmd.h"

#define EXEC_PROCESS_FLAGS                                                                         \
	{ "process", 'p', FLAG_STRING, "file with an OCI process object" },                        \
		{ "cwd", 0, FLAG_STRING, "working directory" },                                    \
		{ "env", 'e', FLAG_LIST, "environment variable NAME=VALUE, may be repeated" },     \
		{ "tty", 't', FLAG_BOOL, "give it a terminal" },                                   \
		{ "user", 'u', FLAG_STRING, "UID[:GID]" },                                         \
		{ "additional-gids", 'g', FLAG_LIST, "supplementary group, may be repeated" },     \
		{ "process-label", 0, FLAG_STRING, "SELinux label" },                              \
		{ "apparmor", 0, FLAG_STRING, "AppArmor profile" },                                \
		{ "no-new-privs", 0, FLAG_BOOL, "set no_new_privs" },                              \
	{                                                                                          \
		"cap", 'c', FLAG_LIST, "capability to add, may be repeated"                        \
	}

/* *ret_blob_fd: packed for init (plan/process.h). */
int exec_process_build(struct cli *cli, const struct flags *f, const struct container *c,
	struct spec_process *ret, int *ret_blob_fd, struct sl_err *err);

#endif
