/* SPDX-License-Identifier: Apache-2.0
 *
 *   repeat N COMMAND...
 *
 * Runs a command once to warm up and N times more, its output thrown away; prints the
 * milliseconds of each. A command that fails is an error: it would be fast.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/helpers/clock.h"

static int run_once(char **argv, int null_fd)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		dup2(null_fd, 1);
		dup2(null_fd, 2);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -1;
	return status == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[1]) : 0;
	int null_fd = open("/dev/null", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (n <= 0 || null_fd < 0)
		return 2;
	for (int i = 0; i <= n; i++) {
		double t0 = clock_us();

		if (run_once(argv + 2, null_fd) < 0) {
			fprintf(stderr, "repeat: %s failed\n", argv[2]);
			return 1;
		}
		if (i > 0)
			printf("%.4f\n", (clock_us() - t0) / 1e3);
	}
	return 0;
}
