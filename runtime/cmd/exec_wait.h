/* SPDX-License-Identifier: Apache-2.0
 *
 * What `exec` does after the process is started: it waits in the foreground, or leaves a proxy
 * in the background. The proxy is the process that the caller tracks: it ends with the same
 * status, forwards signals, and the exec'd process is killed if the proxy ends first.
 */
#ifndef SANDLOCK_CMD_EXEC_WAIT_H
#define SANDLOCK_CMD_EXEC_WAIT_H

#include <sys/types.h>

#include "runtime/cmd/cmd.h"

int exec_wait_attached(int conn_fd, pid_t pid, int master_fd, int *ret_status, struct sl_err *err);

/* Forks the proxy and gives its pid to the caller. */
int exec_leave_proxy(struct cli *cli, int conn_fd, pid_t pid, const struct container_notice *notice,
	struct sl_err *err);

#endif
