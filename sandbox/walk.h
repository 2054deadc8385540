/* SPDX-License-Identifier: Apache-2.0
 *
 * Resolves a path as path_resolution(7) says, below a prefix that plays the root, and notes each
 * symlink on the way.
 */
#ifndef SANDLOCK_SANDBOX_WALK_H
#define SANDLOCK_SANDBOX_WALK_H

#include <sys/stat.h>

#include "runtime/base/arena.h"
#include "runtime/base/err.h"
#include "runtime/plan/fs.h"

/* A path has at most as many symlinks (path_resolution(7)). */
#define WALK_LINKS_MAX 40

struct walked {
	const char *path; /* absolute, without symlinks */
	struct stat st;
	struct plan_link links[WALK_LINKS_MAX];
	size_t n_links;
};

/* prefix: "" or an absolute path. path: absolute. err->code is ENOENT or ENOTDIR when it does not
 * exist. */
int walk_resolve(struct arena *a, const char *prefix, const char *path, struct walked *ret,
	struct sl_err *err);

#endif
