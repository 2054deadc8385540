/* SPDX-License-Identifier: Apache-2.0
 *
 * What the processes that stand for others have in common (supervisor, init, the proxy of an
 * exec): how they begin and how they end.
 */
#ifndef SANDLOCK_BASE_DAEMON_H
#define SANDLOCK_BASE_DAEMON_H

/* All signals blocked, a session and process group of its own (callers signal the group of
 * the tracked process), shut to ptrace, the parent of what its children leave behind, and
 * named: name for /proc/pid/comm, title for the command line. Returns 0, or -1 with errno. */
int daemon_become(const char *name, const char *title);

/* The same for a process that stays in its caller's session and group. */
int daemon_stay(const char *name, const char *title);

/* What a shell says of a status of wait(2): after a signal 128 and its number. */
int daemon_exit_code(int status);

/* Ends this process as another one ended (wait(2) status), signals included, without a core
 * dump: it is what the parent reads. */
_Noreturn void daemon_end_like(int status);

#endif
