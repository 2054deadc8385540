/* SPDX-License-Identifier: Apache-2.0
 *
 * The next child of a thread, caught before its first instruction (ptrace(2)).
 */
#ifndef SANDLOCK_TESTS_HELPERS_TRACING_H
#define SANDLOCK_TESTS_HELPERS_TRACING_H

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* Waits for a child of a thread that is traced with PTRACE_O_TRACEFORK. It stops by itself, being
 * traced from its birth like its parent. */
static inline pid_t await_birth(pid_t parent)
{
	unsigned long child = 0;
	int status;

	if (waitpid(parent, &status, __WALL) != parent ||
		status >> 8 != (SIGTRAP | PTRACE_EVENT_FORK << 8) ||
		ptrace(PTRACE_GETEVENTMSG, parent, NULL, &child) < 0 ||
		waitpid((pid_t)child, &status, __WALL) != (pid_t)child)
		return -1;
	return (pid_t)child;
}

/* Traces the thread and runs the command that makes it fork. Returns the child, or -1 with errno;
 * *ret_command: to be waited for. */
static inline pid_t cause_birth(pid_t parent, char **command, pid_t *ret_command)
{
	if (ptrace(PTRACE_SEIZE, parent, NULL, PTRACE_O_TRACEFORK) < 0)
		return -1;
	*ret_command = fork();
	if (*ret_command == 0) {
		execvp(command[0], command);
		_exit(127);
	}
	return await_birth(parent);
}

static inline void let_go(pid_t parent, pid_t child)
{
	ptrace(PTRACE_DETACH, child, NULL, NULL);
	ptrace(PTRACE_DETACH, parent, NULL, NULL);
}

#endif
