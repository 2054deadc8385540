/* SPDX-License-Identifier: Apache-2.0
 *
 * A pod without a pause container, for containerd's sandbox controller "shim". The files that the
 * containers share are in the sandbox's bundle. A process that does nothing else keeps the pod's
 * namespaces open; containers get them as /proc/<pid>/ns/… of that process.
 */
#ifndef SANDLOCK_SHIM_SANDBOX_SANDBOX_H
#define SANDLOCK_SHIM_SANDBOX_SANDBOX_H

#include <sys/types.h>

#include "runtime/base/err.h"
#include "shim/proto/sandbox.pb-c.h"

/* The size that containerd's controller "podsandbox" uses. */
#define SANDBOX_SHM_SIZE "67108864"

/* Makes resolv.conf, hostname and shm in the bundle. config NULL: copies of the host's files. A pod
 * whose io.sandlock.* annotations are unknown or malformed is refused. */
int sandbox_make_files(const char *bundle, const Sandbox__PodConfig *config, struct sl_err *err);
/* Unmounts shm. The files stay: containerd removes the bundle. */
int sandbox_remove_files(const char *bundle, struct sl_err *err);

/* Adds mounts of those files to a container's config.json, where it has none of its own at that
 * place. A tmpfs at /dev/shm is replaced by the pod's. */
int sandbox_complete_bundle(const char *sandbox_bundle, const char *bundle, struct sl_err *err);

/* Starts the process that keeps the namespaces; it is killed when its parent ends. netns_path "":
 * the host's network namespace. The pod's settings below /proc/sys/net are made; others are an
 * error. config may be NULL. Returns its pid, or -1. */
pid_t sandbox_hold(const char *netns_path, const Sandbox__PodConfig *config, struct sl_err *err);

#endif
