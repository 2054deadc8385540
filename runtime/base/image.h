/* SPDX-License-Identifier: Apache-2.0
 *
 * The file that this process runs, out of reach of those who see /proc/<pid>/exe.
 *
 * Until it executes the program of a container, a process in it runs the runtime's own file.
 * Root of the container may look at such a process, and by its /proc/<pid>/exe could change
 * mode, owner, times and attributes of that file on the host.
 *
 * From image_protect() on, this process and what it forks run from the same file below a
 * read-only mount that is attached nowhere, or from a sealed copy in memory where a mount
 * cannot be cloned (open_tree(2), memfd_create(2)). Addresses stay as they are. The file is
 * exchanged in place (PR_SET_MM, prctl(2)); where the kernel refuses that, argv is executed
 * anew from there, so nothing may have been done yet that cannot be done again.
 *
 * *ret_mount_fd is that mount, or -1 where there is none. Nothing needs it any more, but to close
 * a mount that is attached nowhere takes the kernel a grace period: the caller does so when
 * nobody waits.
 *
 * Called with one thread, before anything is confined. An error means that the file is not
 * protected. Breakpoints that a debugger has set before are gone afterwards.
 */
#ifndef SANDLOCK_BASE_IMAGE_H
#define SANDLOCK_BASE_IMAGE_H

#include "runtime/base/arena.h"
#include "runtime/base/err.h"

int image_protect(char *const *argv, int *ret_mount_fd, struct sl_err *err);

/* Where the program that runs lies: to be asked before image_protect(), which takes its name away.
 * NULL: it cannot be told. */
const char *image_directory(struct arena *a);

#endif
