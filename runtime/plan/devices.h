/* SPDX-License-Identifier: Apache-2.0
 *
 * Which device nodes a container has, and which of them it may open (config-linux.md, "Default
 * Devices", "Devices", "Allowed Device list").
 */
#ifndef SANDLOCK_PLAN_DEVICES_H
#define SANDLOCK_PLAN_DEVICES_H

#include "runtime/plan/fs.h"

/* ret->devices: the default ones, then those of the bundle; one with the path of a default one
 * takes its place. */
int plan_devices_build(
	struct arena *a, const struct spec *spec, struct plan_fs *ret, struct sl_err *err);

/* What the rules leave of a device, as bits of enum spec_device_access: none where no rule is
 * about it, all of it for a default one. type: b or c. */
unsigned int plan_device_access(
	const struct spec_resources *resources, char type, int64_t major, int64_t minor);

/* Whether the rules let a node be opened: 1, 0, or -1 where they grant the half of it, which cannot
 * be enforced. In a user namespace every node that is named is granted. */
int plan_device_granted(const struct spec_resources *resources, char type, int64_t major,
	int64_t minor, struct sl_err *err);

/* Refuses what the tree would refuse: nodes of linux.devices, and nodes of the host that are bound,
 * with the half of the access. The host is asked what is at the source of a bind. */
int plan_devices_check(const struct plan_fs *fs, struct sl_err *err);

#endif
