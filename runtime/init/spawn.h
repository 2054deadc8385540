/* SPDX-License-Identifier: Apache-2.0
 *
 * One process of the container: the domain thread forks it, it prepares itself, waits for GO and
 * executes.
 */
#ifndef SANDLOCK_INIT_SPAWN_H
#define SANDLOCK_INIT_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#include "runtime/base/err.h"

/* Forks a process. fds as of SPAWN (proto.h). The child gets a copy of the caller's whole
 * descriptor table, and root of the container may use the child before it has closed anything:
 * so the table must hold nothing else. is_main: orphans become children of this process, as they
 * become children of pid 1 elsewhere. has_profile: the caller has the bundle's profile, so the
 * child inherits it. The child reports over its sync socket; the caller only learns whether
 * fork(2) succeeded. */
int spawn_fork(const int *fds, size_t n_fds, bool is_main, bool has_profile, pid_t *ret_pid,
	struct sl_err *err);

#endif
