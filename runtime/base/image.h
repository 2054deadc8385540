/* SPDX-License-Identifier: Apache-2.0
 *
 * Protects the program file of this process from processes that can see /proc/<pid>/exe.
 *
 * Until it executes the program of a container, a process in the container runs the runtime's own
 * file. The container's root may inspect such a process, and could change mode, owner, times and
 * attributes of the file on the host through /proc/<pid>/exe.
 *
 * After image_protect() this process and its children run from the same file below a read-only
 * mount that is attached nowhere, or from a sealed copy in memory if the mount cannot be cloned
 * (open_tree(2), memfd_create(2)). Addresses do not change. The file is exchanged in place
 * (PR_SET_MM, prctl(2)). If the kernel refuses that, the program is executed again from there with
 * argv, so the process must not have done anything yet that cannot be repeated.
 *
 * *ret_mount_fd is the mount, or -1 if there is none. Nothing needs the descriptor any more, but
 * the kernel needs a grace period to close a mount that is attached nowhere. Therefore the caller
 * closes it at a moment when nobody waits.
 *
 * To be called with one thread, before anything is restricted. An error means that the file is not
 * protected. Breakpoints that a debugger has set before are removed.
 */
#ifndef SANDLOCK_BASE_IMAGE_H
#define SANDLOCK_BASE_IMAGE_H

#include "runtime/base/arena.h"
#include "runtime/base/err.h"

int image_protect(char *const *argv, int *ret_mount_fd, struct sl_err *err);

/* Returns the directory of the running program. To be called before image_protect(), because the
 * file has no path afterwards. NULL: it is unknown. */
const char *image_directory(struct arena *a);

#endif
