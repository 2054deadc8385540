/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the mounts of a request in their order at <bundle>/rootfs or below it, in the host's mount
 * namespace, and unmounts them (mount(2), umount2(2)). Only for a process that may wait.
 */
#ifndef SANDLOCK_SHIM_ROOTFS_ROOTFS_H
#define SANDLOCK_SHIM_ROOTFS_ROOTFS_H

#include "runtime/base/err.h"
#include "shim/proto/proto.h"

#define ROOTFS_DIR "rootfs"

/* More than any snapshotter asks for. */
#define ROOTFS_MOUNTS_MAX 32

/* On failure none of the mounts is left. */
int rootfs_mount(const char *bundle, Common__Mount *const *mounts, size_t n, struct sl_err *err);

/* Unmounts everything at <bundle>/rootfs. That nothing is mounted, or that there is no such
 * directory, is no error. */
int rootfs_unmount(const char *bundle, struct sl_err *err);

#endif
