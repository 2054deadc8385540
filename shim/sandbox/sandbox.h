/* SPDX-License-Identifier: Apache-2.0
 *
 * A pod without a container of its own: what containerd's other controller makes with a pause
 * container. The files that its containers share lie in the sandbox's bundle, and a process that
 * does nothing has its namespaces, by whose /proc/<pid>/ns/… containers are told of them.
 */
#ifndef SANDLOCK_SHIM_SANDBOX_SANDBOX_H
#define SANDLOCK_SHIM_SANDBOX_SANDBOX_H

#include <sys/types.h>

#include "runtime/base/err.h"
#include "shim/proto/sandbox.pb-c.h"

/* As the other controller makes it. */
#define SANDBOX_SHM_SIZE "67108864"

/* resolv.conf, hostname and shm in the bundle. config NULL: as the host has it. */
int sandbox_make_files(const char *bundle, const Sandbox__PodConfig *config, struct sl_err *err);
/* What was mounted; the files go with the bundle. */
int sandbox_remove_files(const char *bundle, struct sl_err *err);

/* Adds to a container's config.json the mounts of those files that it does not name itself. A
 * /dev/shm of its own, a tmpfs, becomes the pod's. */
int sandbox_complete_bundle(const char *sandbox_bundle, const char *bundle, struct sl_err *err);

/* The process; it ends with its parent. netns_path "": the host's network. Returns its pid, or -1.
 */
pid_t sandbox_hold(const char *netns_path, struct sl_err *err);

#endif
