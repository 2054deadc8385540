/* SPDX-License-Identifier: Apache-2.0
 *
 * Socket activation (sd_listen_fds(3)): descriptors from 3 on that the caller's LISTEN_PID says
 * are for us are handed on to the container's process, ahead of those of --preserve-fds.
 */
#ifndef SANDLOCK_CMD_LISTEN_FDS_H
#define SANDLOCK_CMD_LISTEN_FDS_H

#include "runtime/base/arena.h"
#include "runtime/plan/process.h"

/* How many there are; 0: none, or they are for another process. */
long listen_fds_count(void);

/* Adds what the process has to be told. LISTEN_PID stays empty: the process' number is put there
 * once there is one (init/lookup.h). */
void listen_fds_tell(struct arena *a, long n, struct plan_own_env *env);

#endif
