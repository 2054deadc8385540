/* SPDX-License-Identifier: Apache-2.0
 *
 *   lifecycle N BUNDLE PID-FILE RUNTIME [GLOBAL-OPTION...]
 *
 * Stands where a shim stands: a child sub-reaper that runs `create --pid-file`, `start`, waits
 * for the tracked process to end, and runs `delete`, N times after one to warm up. Prints the
 * milliseconds of each phase: `create 2.5`. "end" is from start's return to the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/helpers/clock.h"

#define ID        "bench-lifecycle"
#define WORDS_MAX 32

struct caller {
	char *words[WORDS_MAX]; /* the runtime and its global options */
	int n;
	posix_spawn_file_actions_t quiet;
};

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

/* What a runtime leaves us to reap besides the tracked process. */
static void reap_others(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		continue;
}

static void verb(struct caller *c, const char *const *args)
{
	char *argv[WORDS_MAX + 8];
	int n = 0, status;
	pid_t pid;

	for (int i = 0; i < c->n; i++)
		argv[n++] = c->words[i];
	for (int i = 0; args[i]; i++)
		argv[n++] = (char *)args[i];
	argv[n] = NULL;
	if (posix_spawnp(&pid, argv[0], &c->quiet, NULL, argv, environ) != 0) {
		fprintf(stderr, "lifecycle: cannot run %s\n", argv[0]);
		exit(1);
	}
	status = wait_for(pid);
	if (status != 0) {
		fprintf(stderr, "lifecycle: %s %s: status %d\n", argv[0], args[0], status);
		exit(1);
	}
}

static pid_t read_pid(const char *path)
{
	FILE *f = fopen(path, "re");
	int pid = -1;

	if (!f || fscanf(f, "%d", &pid) != 1) {
		fprintf(stderr, "lifecycle: no pid in %s\n", path);
		exit(1);
	}
	fclose(f);
	return pid;
}

static void live(struct caller *c, const char *bundle, const char *pid_file, bool print)
{
	const char *create[] = { "create", "--bundle", bundle, "--pid-file", pid_file, ID, NULL };
	const char *start[] = { "start", ID, NULL };
	const char *delete[] = { "delete", ID, NULL };
	double t[5];

	t[0] = clock_us();
	verb(c, create);
	t[1] = clock_us();
	verb(c, start);
	t[2] = clock_us();
	if (wait_for(read_pid(pid_file)) < 0)
		fprintf(stderr, "lifecycle: the tracked process is not ours\n");
	t[3] = clock_us();
	verb(c, delete);
	t[4] = clock_us();
	reap_others();
	if (!print)
		return;
	printf("create %.3f\nstart %.3f\nend %.3f\ndelete %.3f\ntotal %.3f\n", (t[1] - t[0]) / 1e3,
		(t[2] - t[1]) / 1e3, (t[3] - t[2]) / 1e3, (t[4] - t[3]) / 1e3, (t[4] - t[0]) / 1e3);
}

int main(int argc, char **argv)
{
	struct caller c = { .n = 0 };
	int n = argc > 4 ? atoi(argv[1]) : 0;

	if (n <= 0 || argc - 4 > WORDS_MAX)
		return 2;
	for (int i = 4; i < argc; i++)
		c.words[c.n++] = argv[i];
	posix_spawn_file_actions_init(&c.quiet);
	posix_spawn_file_actions_addopen(&c.quiet, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&c.quiet, 1, "/dev/null", O_WRONLY, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (int i = 0; i <= n; i++)
		live(&c, argv[2], argv[3], i > 0);
	return 0;
}
