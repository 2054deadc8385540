/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of one OCI mount (config.md, "Mounts"; mount(8), "Filesystem-independent
 * mount options") as mount attributes. Pure.
 */
#ifndef SANDLOCK_PLAN_MOUNT_OPTIONS_H
#define SANDLOCK_PLAN_MOUNT_OPTIONS_H

#include "runtime/plan/fs.h"

/* Whether there is a file system of that type. */
bool mount_kind_of(const char *type, enum plan_mount_kind *ret);

/* Decides the kind and every attribute of ret from type and options; destination, source
 * and mappings are the caller's. What cannot be honoured is an error naming the option. */
int mount_options_parse(
	struct arena *a, const struct spec_mount *m, struct plan_mount *ret, struct sl_err *err);

/* The i-th option name with a meaning of its own, sorted, for `features`; NULL at the end. */
const char *mount_options_name(size_t i);

#endif
