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

/* At the call, p holds the process of the container. */
int exec_process_read(
	struct cli *cli, const struct flags *f, struct spec_process *p, struct sl_err *err);

#endif
