/* SPDX-License-Identifier: Apache-2.0
 *
 * A process that sleeps has not run; one that has run, has ended, or did not fit has.
 */
#include "runtime/limits/activity.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/check.h"

/* Returns a child that reads from a pipe, asleep. */
static pid_t sleeper(const int pipe_fds[2])
{
	pid_t pid = fork();
	char c;

	if (pid == 0) {
		while (read(pipe_fds[0], &c, 1) == 1)
			;
		_exit(0);
	}
	return pid;
}

/* The child may still be on its way into its read(). */
static bool sleeps(struct activity *a, pid_t pid)
{
	for (int i = 0; i < 1000; i++) {
		activity_begin(a);
		activity_note(a, pid);
		usleep(10000);
		if (!activity_has_run(a))
			return true;
	}
	return false;
}

static bool runs(const struct activity *a)
{
	for (int i = 0; i < 1000; i++) {
		if (activity_has_run(a))
			return true;
		usleep(10000);
	}
	return false;
}

static void one_process(void)
{
	static struct activity a;
	int pipe_fds[2];
	pid_t pid;

	CHECK(pipe(pipe_fds) == 0);
	pid = sleeper(pipe_fds);
	CHECK(sleeps(&a, pid));
	CHECK(write(pipe_fds[1], "x", 1) == 1);
	CHECK(runs(&a));
	CHECK(sleeps(&a, pid));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK(activity_has_run(&a));
	activity_begin(&a);
	CHECK(activity_note(&a, pid) == 0);
	CHECK(activity_has_run(&a));
}

static void too_many(void)
{
	static struct activity a;
	int pipe_fds[2];
	pid_t pid;

	CHECK(activity_has_run(&a)); /* nothing was measured yet */
	CHECK(pipe(pipe_fds) == 0);
	pid = sleeper(pipe_fds);
	CHECK(sleeps(&a, pid));
	while (a.n < ACTIVITY_MAX)
		activity_note(&a, pid);
	CHECK(!activity_has_run(&a));
	activity_note(&a, pid);
	CHECK(activity_has_run(&a));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	one_process();
	too_many();
	return check_done();
}
