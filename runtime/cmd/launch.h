/* SPDX-License-Identifier: Apache-2.0
 *
 * What `create` and `run` share: turning the flags into a request.
 */
#ifndef SANDLOCK_CMD_LAUNCH_H
#define SANDLOCK_CMD_LAUNCH_H

#include "runtime/cmd/cmd.h"

/* The flags of both. */
#define LAUNCH_FLAGS                                                                               \
	{ "bundle", 'b', FLAG_STRING, "path of the bundle (default: the working directory)" },     \
		{ "console-socket", 0, FLAG_STRING,                                                \
			"unix socket that gets the terminal's master" },                           \
		{ "pid-file", 0, FLAG_STRING, "file to write the tracked process' id to" },        \
		{ "preserve-fds", 0, FLAG_STRING,                                                  \
			"hand N more descriptors, from 3 on, to the process" },                    \
		{ "no-new-keyring", 0, FLAG_BOOL, "keep the caller's session keyring" },           \
		{ "no-pivot", 0, FLAG_BOOL, "accepted without effect: no root is pivoted" },       \
	{                                                                                          \
		"pidfd-socket", 0, FLAG_STRING,                                                    \
			"unix socket that gets a pidfd of the tracked process"                     \
	}

/* Fills in the request from flags and environment. Also prepares this process: its executable
 * file is protected from the container (base/image.h), and its limit of open files is raised. */
int launch_prepare(
	struct cli *cli, const struct flags *f, struct container_create *ret, struct sl_err *err);

#endif
