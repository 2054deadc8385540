/* SPDX-License-Identifier: Apache-2.0
 *
 * The paths that are granted, as mounts of an empty root. Every path keeps its own place: the
 * mount is at the path without symlinks, and each symlink on the way there is made again, and so is
 * each symlink of the host's root directory that leads into a grant (/lib64, where programs find
 * their loader). A grant inside another one with the same right adds nothing; with another right,
 * the inner one counts for what is below it.
 *
 * The host's file system is looked at, but nothing is opened. Whoever can exchange directories on
 * the way to a granted path decides what is granted.
 */
#ifndef SANDLOCK_SANDBOX_GRANTS_H
#define SANDLOCK_SANDBOX_GRANTS_H

#include "runtime/plan/fs.h"
#include "sandbox/options.h"
#include "spec/spec.h"

struct granted {
	const char *path;   /* in the view; absolute, without symlinks and "." */
	const char *source; /* on the host */
	bool directory;
	bool write;
};

struct grants {
	struct granted *items; /* parents come before what lies below them */
	size_t n;
	const struct plan_link *links; /* in the same order; none is below a grant */
	size_t n_links;
	char **denied; /* below a grant; without symlinks */
	size_t n_denied;
	bool sysfs; /* /sys is granted, which is a new file system */
};

/* cwd: the caller's, for relative paths. */
int grants_make(struct arena *a, const struct sandbox_options *o, const char *cwd,
	struct grants *ret, struct sl_err *err);

/* The grant that the path is in, or NULL. */
const struct granted *grants_find(const struct grants *g, const char *path);

#endif
