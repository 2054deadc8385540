/* SPDX-License-Identifier: Apache-2.0
 *
 * Readiness (sd_notify(3)): a caller's NOTIFY_SOCKET is not handed on, it is outside of the
 * container. The process gets a socket in the container's state directory instead, bound to
 * /run/notify, on which `start` or `run` listens; READY is passed on to the caller's, with the
 * number of the tracked process behind it, and nothing else is (runc does the same).
 */
#ifndef SANDLOCK_CMD_NOTIFY_H
#define SANDLOCK_CMD_NOTIFY_H

#include "runtime/cmd/cmd.h"

/* The caller's socket; NULL: none. */
const char *notify_host(void);

/* Takes one message that has come. Returns whether it is READY. */
bool notify_is_ready(int fd);

/* Tells the caller; wait: until he has read it, because this process ends then. That he does not
 * listen is a warning. */
void notify_tell(struct cli *cli, pid_t tracked, bool wait);

/* Until READY was passed on and read, or the tracked process has ended. */
void notify_wait(struct cli *cli, int fd, int tracked_fd, pid_t tracked);

#endif
