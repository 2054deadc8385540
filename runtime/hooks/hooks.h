/* SPDX-License-Identifier: Apache-2.0
 *
 * Hooks (runtime-spec, config.md "POSIX-platform Hooks"): each gets the container's state as
 * JSON on its stdin, has its own environment, and is killed after its timeout.
 */
#ifndef SANDLOCK_HOOKS_HOOKS_H
#define SANDLOCK_HOOKS_HOOKS_H

#include "spec/spec.h"

/* Where the hooks of a list are run. */
struct hooks_place {
	const char *directory;
	int dir_fd; /* used instead of directory, unless it is -1 */
	/* the network namespace that the hooks enter; -1: they stay in the caller's */
	int net_fd;
	int mnt_fd;  /* the same for the mount namespace */
	int root_fd; /* with mnt_fd: the root directory in that namespace */
	/* for a hook without "env"; NULL: the runtime's own environment, as in runc */
	char *const *env;
};

/* In the namespaces of the caller. */
#define HOOKS_HERE(dir)                                                                            \
	((struct hooks_place){                                                                     \
		.directory = (dir), .dir_fd = -1, .net_fd = -1, .mnt_fd = -1, .root_fd = -1 })

/* Runs the hooks in order. The first failure (exit status, signal, timeout) ends this with an
 * error that holds the hook's number, its path and the end of its output. */
int hooks_run(const struct spec_hook_list *list, const char *kind, const char *state,
	const struct hooks_place *where, struct sl_err *err);

/* Runs all hooks. Failures are passed to on_failure(). */
void hooks_run_all(const struct spec_hook_list *list, const char *kind, const char *state,
	const struct hooks_place *where, void (*on_failure)(const struct sl_err *err, void *ctx),
	void *ctx);

/* Returns whether the hook has succeeded, by its wait status. out is its output, which is cut to
 * one line. */
int hooks_judge(const char *path, int status, char *out, struct sl_err *err);

#endif
