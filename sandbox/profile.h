/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles: options in a TOML file, under the keys that options.def gives them. Beside those there
 * are program.exec (text) and program.args (array), which are the command, and program.uid with
 * program.gid, which are --user. program.env is a table.
 */
#ifndef SANDLOCK_SANDBOX_PROFILE_H
#define SANDLOCK_SANDBOX_PROFILE_H

#include "sandbox/options.h"

/* Reads the words of a command line as sandbox_options_parse() does, on top of the profile that
 * they name. */
int sandbox_options_read(
	struct arena *a, int argc, char **argv, struct sandbox_options *ret, struct sl_err *err);

/* The file of a profile: $XDG_CONFIG_HOME/sandlock/profiles/NAME.toml, without the variable below
 * ~/.config. Returns NULL for a name that is none, or without a home. */
const char *sandbox_profile_path(struct arena *a, const char *name, struct sl_err *err);

/* Adds what the file says. Every mistake is an error with its line and column; an unknown key is
 * named with the nearest one that exists. */
int sandbox_profile_read(
	struct arena *a, const char *path, struct sandbox_options *ret, struct sl_err *err);

/* The options as a profile that means the same from anywhere. cwd: of who has given them. NULL: a
 * word of them is no UTF-8, or there is no memory. Options without a key are not in it. */
const char *sandbox_profile_write(
	struct arena *a, const struct sandbox_options *o, const char *cwd);

#endif
