/* SPDX-License-Identifier: Apache-2.0
 *
 * Paths inside the container, by their text alone.
 */
#ifndef SANDLOCK_PLAN_PATH_H
#define SANDLOCK_PLAN_PATH_H

#include "runtime/base/arena.h"

/* Absolute, without "//", "." and "..": what `..` would leave is the root itself. */
char *plan_path_clean(struct arena *a, const char *path);

#endif
