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
#include "runtime/plan/plan.h"

/* The caller's socket; NULL: none. */
const char *notify_host(void);

/* Adds the mount and the variable. */
void notify_plan(struct cli *cli, struct plan_request *request);

/* create: what is mounted. dir_fd is the container's state directory. */
int notify_make(int dir_fd, struct sl_err *err);

/* start: the socket, -1 when there is nobody to tell. */
int notify_open(int dir_fd, int *ret_fd, struct sl_err *err);

/* Takes one message that has come. Returns whether it is READY. */
bool notify_is_ready(int fd);

/* Tells the caller; wait: until he has read it, because this process ends then. That he does not
 * listen is a warning. */
void notify_tell(struct cli *cli, pid_t tracked, bool wait);

/* Until READY was passed on and read, or the tracked process has ended. */
void notify_wait(struct cli *cli, int fd, int tracked_fd, pid_t tracked);

#endif
