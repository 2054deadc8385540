/* SPDX-License-Identifier: Apache-2.0
 *
 * One process of the container: forked by the domain thread, prepared, parked, executed.
 */
#ifndef SANDLOCK_INIT_SPAWN_H
#define SANDLOCK_INIT_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#include "runtime/base/err.h"

/* fds as of SPAWN (proto.h). The child gets a copy of the caller's whole table and may be used
 * by somebody else before it has closed anything: nothing beside them should be in it.
 * is_main: orphans of its descendants become its children, as they are pid 1's elsewhere.
 * has_profile: the caller is under the bundle's profile, and so is the child then. The child
 * reports over its sync socket; the caller only learns whether fork(2) worked. */
int spawn_fork(const int *fds, size_t n_fds, bool is_main, bool has_profile, pid_t *ret_pid,
	struct sl_err *err);

#endif
