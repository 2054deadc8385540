/* SPDX-License-Identifier: Apache-2.0
 *
 * The mounts of a request, made in order at <bundle>/rootfs or below it, in the host's table, and
 * undone (mount(2), umount2(2)). In a process that may wait.
 */
#ifndef SANDLOCK_SHIM_ROOTFS_ROOTFS_H
#define SANDLOCK_SHIM_ROOTFS_ROOTFS_H

#include "runtime/base/err.h"
#include "shim/proto/proto.h"

#define ROOTFS_DIR "rootfs"

/* More than any snapshotter makes. */
#define ROOTFS_MOUNTS_MAX 32

/* On failure none of them is left. */
int rootfs_mount(const char *bundle, Common__Mount *const *mounts, size_t n, struct sl_err *err);

/* Whatever is mounted there; nothing mounted, or no such directory, is no error. */
int rootfs_unmount(const char *bundle, struct sl_err *err);

#endif
