/* SPDX-License-Identifier: Apache-2.0
 *
 * Stands where a shim or conmon stands: a child sub-reaper that runs `create`, reads the
 * pid-file, waits for exactly that process and says how it ended.
 *
 *   reap PID-FILE REPORT COMMAND...
 *
 * REPORT gets one line per fact: "created STATUS", "exited CODE" or "signaled NUMBER",
 * "pgrp own|other", and "left N": children that still were there a second after the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int wait_for(pid_t pid, int *ret_status)
{
	for (;;) {
		pid_t r = waitpid(-1, ret_status, __WALL);

		if (r == pid)
			return 0;
		if (r < 0 && errno != EINTR)
			return -1;
	}
}

static pid_t read_pid(const char *path)
{
	FILE *f = fopen(path, "re");
	int pid = -1;

	if (f) {
		if (fscanf(f, "%d", &pid) != 1)
			pid = -1;
		fclose(f);
	}
	return pid;
}

static int count_left(void)
{
	struct timespec tick = { .tv_nsec = 20 * 1000 * 1000 };

	for (int i = 0; i < 50; i++) {
		pid_t r = waitpid(-1, NULL, WNOHANG | __WALL);

		if (r < 0)
			return 0;
		if (r == 0)
			nanosleep(&tick, NULL);
	}
	return 1;
}

int main(int argc, char **argv)
{
	FILE *report;
	pid_t pid;
	int status;

	if (argc < 4)
		return 2;
	report = fopen(argv[2], "we");
	if (!report)
		return 2;
	setvbuf(report, NULL, _IOLBF, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = fork();
	if (pid == 0) {
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	if (pid < 0 || wait_for(pid, &status) < 0)
		return 1;
	fprintf(report, "created %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 255);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return 1;
	pid = read_pid(argv[1]);
	fprintf(report, "pgrp %s\n", getpgid(pid) == pid ? "own" : "other");
	if (wait_for(pid, &status) < 0) {
		fprintf(report, "not my child\n");
		return 1;
	}
	if (WIFEXITED(status))
		fprintf(report, "exited %d\n", WEXITSTATUS(status));
	else
		fprintf(report, "signaled %d%s\n", WTERMSIG(status),
			WCOREDUMP(status) ? " core" : "");
	fprintf(report, "left %d\n", count_left());
	return 0;
}
