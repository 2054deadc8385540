/* SPDX-License-Identifier: Apache-2.0
 *
 * Which device nodes a container has, and which of them it can open (config-linux.md, "Default
 * Devices", "Devices", "Allowed Device list").
 */
#ifndef SANDLOCK_PLAN_DEVICES_H
#define SANDLOCK_PLAN_DEVICES_H

#include "runtime/plan/fs.h"

/* Fills ret->devices: the default devices, then those of the bundle. A device of the bundle
 * replaces a default one with the same path. */
int plan_devices_build(
	struct arena *a, const struct spec *spec, struct plan_fs *ret, struct sl_err *err);

/* The access that the rules grant for a device, as bits of enum spec_device_access: none without a
 * matching rule, all of it for a default device. type: b or c. */
unsigned int plan_device_access(
	const struct spec_resources *resources, char type, int64_t major, int64_t minor);

/* Whether the rules permit to open a node: 1 or 0, or -1 if they grant only reading or only
 * writing, which cannot be enforced. In a user namespace every node that the bundle names is
 * granted. */
int plan_device_granted(const struct spec_resources *resources, char type, int64_t major,
	int64_t minor, struct sl_err *err);

/* Refuses nodes of linux.devices, and bound nodes of the host, for which the rules grant only a
 * part of the access. It looks at the sources of bind mounts on the host. */
int plan_devices_check(const struct plan_fs *fs, struct sl_err *err);

#endif
