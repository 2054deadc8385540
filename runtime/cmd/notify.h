/* SPDX-License-Identifier: Apache-2.0
 *
 * Readiness (sd_notify(3)): the caller's NOTIFY_SOCKET is outside of the container, so the
 * process does not get it. It gets a socket in the container's state directory, mounted at
 * /run/notify, on which `start` or `run` listens. READY is forwarded to the caller with the pid
 * of the tracked process, and no other message is (runc does the same).
 */
#ifndef SANDLOCK_CMD_NOTIFY_H
#define SANDLOCK_CMD_NOTIFY_H

#include "runtime/cmd/cmd.h"

/* The caller's socket; NULL: none. */
const char *notify_host(void);

/* Receives one message. Returns whether it contains READY. */
bool notify_is_ready(int fd);

/* Sends READY to the caller. wait: until the caller has read it; for a process that exits
 * afterwards. A failure is a warning. */
void notify_tell(struct cli *cli, pid_t tracked, bool wait);

/* Waits until READY was forwarded and read, or the tracked process has ended. */
void notify_wait(struct cli *cli, int fd, int tracked_fd, pid_t tracked);

#endif
