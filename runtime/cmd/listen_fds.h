/* SPDX-License-Identifier: Apache-2.0
 *
 * Socket activation (sd_listen_fds(3)): descriptors from 3 on that the caller's LISTEN_PID says
 * are for us are handed on to the container's process, ahead of those of --preserve-fds.
 */
#ifndef SANDLOCK_CMD_LISTEN_FDS_H
#define SANDLOCK_CMD_LISTEN_FDS_H

#include "runtime/container/container.h"

/* None also when they are for another process. */
struct container_listen listen_fds_given(void);

#endif
