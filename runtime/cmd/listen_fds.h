/* SPDX-License-Identifier: Apache-2.0
 *
 * Socket activation (sd_listen_fds(3)): if LISTEN_PID names this process, the descriptors from 3
 * on go to the container's process, before those of --preserve-fds.
 */
#ifndef SANDLOCK_CMD_LISTEN_FDS_H
#define SANDLOCK_CMD_LISTEN_FDS_H

#include "runtime/container/container.h"

/* n is 0 if there are none, or if they are for another process. */
struct container_listen listen_fds_given(void);

#endif
