/* SPDX-License-Identifier: Apache-2.0
 *
 * Which device nodes a container has, and which of them it may open (config-linux.md, "Default
 * Devices", "Devices", "Allowed Device list"). Pure: the host is not asked.
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

#endif
