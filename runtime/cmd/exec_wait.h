/* SPDX-License-Identifier: Apache-2.0
 *
 * After an exec has started: stay in the foreground until it ends, or leave a proxy
 * behind, which is the process that the caller tracks: it mirrors the status, forwards
 * signals, and its death kills the exec'd process.
 */
#ifndef SANDLOCK_CMD_EXEC_WAIT_H
#define SANDLOCK_CMD_EXEC_WAIT_H

#include <sys/types.h>

#include "runtime/cmd/cmd.h"

int exec_wait_attached(int conn_fd, pid_t pid, int master_fd, int *ret_status, struct sl_err *err);

/* Forks the proxy and tells the caller of it. */
int exec_leave_proxy(struct cli *cli, int conn_fd, pid_t pid, const struct container_notice *notice,
	struct sl_err *err);

#endif
