/* SPDX-License-Identifier: Apache-2.0
 *
 * Hooks (runtime-spec, config.md "POSIX-platform Hooks"): each gets the container's state
 * as JSON on its stdin, its environment, and at most its timeout.
 */
#ifndef SANDLOCK_HOOKS_HOOKS_H
#define SANDLOCK_HOOKS_HOOKS_H

#include "spec/spec.h"

/* Where the hooks of a list are run. */
struct hooks_place {
	const char *directory;
	int dir_fd;       /* used in place of directory; -1: it is not */
	int net_fd;       /* the network namespace that they enter first; -1: they stay in ours */
	int mnt_fd;       /* the same of the mount namespace, */
	int root_fd;      /* with their root directory in it */
	char *const *env; /* of a hook that names none; NULL: the runtime's own, as in runc */
};

/* The runtime's own namespaces. */
#define HOOKS_HERE(dir)                                                                            \
	((struct hooks_place){                                                                     \
		.directory = (dir), .dir_fd = -1, .net_fd = -1, .mnt_fd = -1, .root_fd = -1 })

/* Runs the list in order. The first failure (exit status, signal, timeout) stops it with
 * an error that holds the hook's number, path and the end of what it printed. */
int hooks_run(const struct spec_hook_list *list, const char *kind, const char *state,
	const struct hooks_place *where, struct sl_err *err);

/* Runs every one of the list; what fails is told to on_failure, the rest goes on. */
void hooks_run_all(const struct spec_hook_list *list, const char *kind, const char *state,
	const struct hooks_place *where, void (*on_failure)(const struct sl_err *err, void *ctx),
	void *ctx);

/* Whether a wait status is a hook's success; out is what it printed, cut to one line. */
int hooks_judge(const char *path, int status, char *out, struct sl_err *err);

#endif
