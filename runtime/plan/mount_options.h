/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns the options of one OCI mount (config.md, "Mounts"; mount(8), "Filesystem-independent mount
 * options") into mount attributes.
 */
#ifndef SANDLOCK_PLAN_MOUNT_OPTIONS_H
#define SANDLOCK_PLAN_MOUNT_OPTIONS_H

#include "runtime/plan/fs.h"

/* Finds the kind of a mount type. Returns false for an unknown type. */
bool mount_kind_of(const char *type, enum plan_mount_kind *ret);

/* Decides the kind and all attributes of ret from type and options. The caller sets destination,
 * source and mappings. An option that cannot be honoured is an error that names it. */
int mount_options_parse(
	struct arena *a, const struct spec_mount *m, struct plan_mount *ret, struct sl_err *err);

/* Returns the i-th known option, sorted by name, for `features`; NULL after the last one. */
const char *mount_options_name(size_t i);

#endif
