/* SPDX-License-Identifier: Apache-2.0
 *
 * Paths in the container, handled as text only.
 */
#ifndef SANDLOCK_PLAN_PATH_H
#define SANDLOCK_PLAN_PATH_H

#include "runtime/base/arena.h"

/* Returns an absolute path without "//", "." and "..". A ".." at the root stays at the root. */
char *plan_path_clean(struct arena *a, const char *path);

#endif
