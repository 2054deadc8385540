/* SPDX-License-Identifier: Apache-2.0
 *
 * How the long-lived processes of the runtime (supervisor, init, the process that represents an
 * exec) begin and end.
 */
#ifndef SANDLOCK_BASE_DAEMON_H
#define SANDLOCK_BASE_DAEMON_H

/* Prepares the process: all signals are blocked; it leads its own session and process group
 * (callers signal the group of the process whose id they know); it cannot be traced; it is the
 * subreaper of its descendants; it is renamed: name for /proc/pid/comm, title for the command line.
 * Returns 0, or -1 with errno. */
int daemon_become(const char *name, const char *title);

/* The same without a new session and process group. */
int daemon_stay(const char *name, const char *title);

/* Opens /dev/null for each of 0, 1 and 2 that is closed. Returns 0, or -1 with errno. */
int daemon_open_stdio(void);

/* The exit code that a shell gives for a status of wait(2): 128 plus the number after a signal. */
int daemon_exit_code(int status);

/* Ends this process in the same way as the status of wait(2) says, also by the same signal, but
 * without a core dump. The parent reads the status. */
_Noreturn void daemon_end_like(int status);

#endif
