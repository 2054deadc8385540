/* SPDX-License-Identifier: Apache-2.0
 *
 * Stands at the birth of a process, as root of a container can by a lucky SIGSTOP: the next
 * child of a thread is caught before its first instruction.
 *
 *	list TID COMMAND...	prints what its descriptors lead to, and lets it go
 *
 * COMMAND is what causes the birth; its status is ours. It runs whether or not a birth comes.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static void list(pid_t pid)
{
	char path[64], target[512];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		ssize_t n = e->d_name[0] == '.' ? -1 : readlinkat(dirfd(d), e->d_name, target, 511);

		if (n >= 0)
			printf("%s %.*s\n", e->d_name, (int)n, target);
	}
	if (d)
		closedir(d);
	fflush(stdout);
}

/* The child stops by itself, being traced from its birth like its parent. */
static pid_t await_birth(pid_t parent)
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

int main(int argc, char **argv)
{
	pid_t parent = argc > 3 ? atoi(argv[2]) : 0, command, child;
	int status;

	if (parent <= 0 || strcmp(argv[1], "list") != 0)
		return 2;
	if (ptrace(PTRACE_SEIZE, parent, NULL, PTRACE_O_TRACEFORK) < 0) {
		perror("seize");
		return 2;
	}
	command = fork();
	if (command == 0) {
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	child = await_birth(parent);
	if (child < 0) {
		perror("no birth");
		return 2;
	}
	list(child);
	ptrace(PTRACE_DETACH, child, NULL, NULL);
	ptrace(PTRACE_DETACH, parent, NULL, NULL);
	return waitpid(command, &status, 0) == command && WIFEXITED(status) ? WEXITSTATUS(status)
									    : 1;
}
