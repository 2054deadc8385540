/* SPDX-License-Identifier: Apache-2.0
 *
 * A function in a forked process, and a filter around the caller.
 */
#ifndef SANDLOCK_TESTS_UNIT_CONFINE_CHILD_H
#define SANDLOCK_TESTS_UNIT_CONFINE_CHILD_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The exit code, or minus the signal that killed it. */
static inline int child_run(int (*body)(const void *arg), const void *arg)
{
	int status = 0;
	pid_t pid = fork();

	/* No wrapper: a sanitizer's would make calls that a filter refuses. */
	if (pid == 0)
		syscall(SYS_exit_group, (long)body(arg));
	if (pid < 0 || waitpid(pid, &status, __WALL) != pid)
		return -1000;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Returns 0, or -1 with errno. */
static inline int child_filter(const struct sock_filter *insns, size_t n, unsigned int flags)
{
	struct sock_fprog prog = { (unsigned short)n, (struct sock_filter *)insns };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) < 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog);
}

/* The errno of a call, 0 when it went well. */
static inline int child_errno(long r)
{
	return r < 0 ? errno : 0;
}

#endif
