/* SPDX-License-Identifier: Apache-2.0
 *
 * The state root: one directory per container, <root>/<id>/, with these files:
 *
 *   state.json     the record (record.h), replaced atomically
 *   process        the planned main process (runtime/plan/process.h); exec copies it
 *   control.sock   the supervisor's socket; the supervisor removes it when all processes of the
 *                  container have ended. If it is left behind, the supervisor was killed
 *   stats          the statistics at the end of the container
 *   killed         which limits have ended processes, and how often (kills.h)
 *   notify/        only with NOTIFY_SOCKET: the process' socket (runtime/container/notify.c)
 *   ports.json     only with network.port_remap: the bound ports (runtime/net/ports/ports.h)
 *
 * The root also holds ns:empty, the mount namespace from which containers of rootfs.mode namespace
 * are made (namespace.c). The first of them makes it; it is removed with the last container.
 *
 * mkdir(2) reserves an id. Commands that change a container lock its directory with flock(2); those
 * that only read it take no lock.
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
#define STORE_KILLS         "killed"
#define STORE_STATS         "stats" /* struct control_stats at the end of the container */

/* The default root: /run/sandlock-oci, or $XDG_RUNTIME_DIR/sandlock-oci for other users than
 * root. */
const char *store_default_root(struct arena *a);

/* runc's rule: [A-Za-z0-9_+.-]+, at most 1024 bytes, not "." or "..". */
int store_check_id(const char *id, struct sl_err *err);

/* Opens the root; with create, makes it first if it is missing (0700). If it is missing, returns
 * -1 with ENOENT. */
int store_open_root(const char *root, bool create, int *ret_root_fd, struct sl_err *err);

/* Makes and locks the directory of a new container. */
int store_reserve(int root_fd, const char *id, int *ret_dir_fd, struct sl_err *err);

/* Opens the directory of a container, or fails with "container does not exist". */
int store_open(int root_fd, const char *id, int *ret_dir_fd, struct sl_err *err);

/* The same with a lock; waits at most timeout_ms for another command to release it. */
int store_open_locked(
	int root_fd, const char *id, int timeout_ms, int *ret_dir_fd, struct sl_err *err);

/* Locks with flock(2), exclusively; waits at most timeout_ms. Returns 0, or -1 with errno. */
int store_lock(int fd, int timeout_ms);

/* Removes the directory and all that the runtime has put into it. */
int store_remove(int root_fd, const char *id, struct sl_err *err);

/* Makes an empty mount namespace on this processor. */
#define STORE_ANY_CPU (-1)
typedef int store_namespace_maker(int cpu, int *ret_fd, struct sl_err *err);

/* Opens the nsfs file of the empty mount namespace. If there is none, calls make() and, if the
 * kernel allows it, keeps the result. */
int store_open_namespace(int root_fd, store_namespace_maker *make, int *ret_fd, struct sl_err *err);
/* Removes it if no container is left. */
int store_forget_namespace(int root_fd, struct sl_err *err);

/* Returns the ids below the root, sorted, with a NULL at the end. */
int store_list(struct arena *a, int root_fd, char ***ret_ids, struct sl_err *err);

#endif
