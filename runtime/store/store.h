/* SPDX-License-Identifier: Apache-2.0
 *
 * The state root: one directory per container, <root>/<id>/, holding
 *
 *   state.json     the record (record.h), replaced atomically
 *   process        the main process as it was planned (runtime/plan/process.h), from which
 *                  exec starts
 *   control.sock   the supervisor's socket; its absence beside a dead supervisor means
 *                  that the container ended in order and nothing needs to be swept
 *   notify/        with NOTIFY_SOCKET only: the process' socket (runtime/container/notify.c)
 *   ports.json     network.port_remap only: what it has bound (runtime/net/ports/ports.h)
 *
 * Beside them is ns:empty, the mount namespace that containers of rootfs.mode namespace are made
 * from (namespace.c): made by the first of them, removed with the last container.
 *
 * mkdir(2) reserves an id; flock(2) on the directory serialises the verbs that change a
 * container. Readers take no lock.
 */
#ifndef SANDLOCK_STORE_STORE_H
#define SANDLOCK_STORE_STORE_H

#include <stdbool.h>

#include "runtime/base/arena.h"
#include "runtime/base/err.h"

#define STORE_CONTROL       "control.sock"
#define STORE_NOTIFY        "notify"
#define STORE_NOTIFY_SOCKET "notify.sock"
#define STORE_RECORD        "state.json"
#define STORE_PROCESS       "process"
#define STORE_STATS         "stats" /* struct control_stats as of the end */

/* The default root: /run/sandlock-oci, or $XDG_RUNTIME_DIR/sandlock-oci for users. */
const char *store_default_root(struct arena *a);

/* runc's rule: [A-Za-z0-9_+.-]+, at most 1024 bytes, not "." or "..". */
int store_check_id(const char *id, struct sl_err *err);

/* Opens the root; with create it is made (0700). A missing root gives -1 and ENOENT. */
int store_open_root(const char *root, bool create, int *ret_root_fd, struct sl_err *err);

/* Makes and locks the directory of a new container. */
int store_reserve(int root_fd, const char *id, int *ret_dir_fd, struct sl_err *err);

/* Opens the directory of a container: "container does not exist". */
int store_open(int root_fd, const char *id, int *ret_dir_fd, struct sl_err *err);

/* The same, locked; waits at most timeout_ms for another verb to finish. */
int store_open_locked(
	int root_fd, const char *id, int timeout_ms, int *ret_dir_fd, struct sl_err *err);

/* flock(2), exclusive, waiting at most timeout_ms. Returns 0, or -1 with errno. */
int store_lock(int fd, int timeout_ms);

/* Removes the directory and everything that the runtime puts into it. */
int store_remove(int root_fd, const char *id, struct sl_err *err);

/* Opens that namespace's file of nsfs; where there is none, it is made and, if the kernel lets it
 * be bound, kept. */
int store_open_namespace(
	int root_fd, int (*make)(int *ret_fd, struct sl_err *err), int *ret_fd, struct sl_err *err);
/* Removes it, unless a container is left. */
int store_forget_namespace(int root_fd, struct sl_err *err);

/* The ids under the root, sorted; a NULL ends the list. */
int store_list(struct arena *a, int root_fd, char ***ret_ids, struct sl_err *err);

#endif
