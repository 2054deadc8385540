/* SPDX-License-Identifier: Apache-2.0
 *
 * Forging an end: children that end up as init's, names that look like init, signals to
 * everyone. Run as the container's own process (`attack direct …`), because what is
 * judged is the status that the caller sees. `naive-parent` is the control arm: a parent
 * that takes the first child it reaps for the workload.
 */
#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/escape/attack.h"
#include "tests/escape/numbers.h"

#define FORGED    77
#define TRUE_END  33
#define SETTLE_US 200000

/* A sibling: its parent is ours. */
static int end_sibling(struct trial *t, char **args)
{
	long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);

	(void)args;
	if (pid < 0)
		return trial_fail(t, "clone");
	if (pid == 0)
		_exit(FORGED);
	usleep(SETTLE_US);
	_exit(TRUE_END);
}

/* An orphan: handed up to the next reaper. */
static int end_orphan(struct trial *t, char **args)
{
	pid_t pid = fork();

	(void)args;
	if (pid < 0)
		return trial_fail(t, "fork");
	if (pid == 0) {
		if (fork() == 0) {
			usleep(SETTLE_US / 4);
			_exit(FORGED);
		}
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	usleep(SETTLE_US);
	_exit(TRUE_END);
}

static int end_impostor(struct trial *t, char **args)
{
	if (prctl(PR_SET_NAME, args[0], 0, 0, 0) < 0)
		return trial_fail(t, "name");
	if (setsid() < 0 && errno != EPERM)
		return trial_fail(t, "setsid");
	usleep(SETTLE_US);
	_exit(TRUE_END);
}

/* Everyone in reach, then an end of one's own choosing: it must be seen by the caller. */
static int end_kill_all(struct trial *t, char **args)
{
	(void)t;
	if (kill((pid_t)arg_number(args[0]), arg_signal(args[1])) < 0 && errno != ESRCH &&
		errno != EPERM)
		return -1;
	usleep(SETTLE_US);
	_exit(TRUE_END);
}

/* Makes the parent its tracer, stops, and is traced by whoever waits for it. */
static int end_traced(struct trial *t, char **args)
{
	(void)args;
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		return trial_fail(t, "traceme");
	raise(SIGUSR2);
	_exit(TRUE_END);
}

static void *tick(void *arg)
{
	(void)arg;
	for (;;)
		usleep(SETTLE_US);
	return NULL;
}

/* Leaves a process whose first thread has ended, so that its directory in /proc shows no root. */
static int end_headless(struct trial *t, char **args)
{
	pthread_t thread;
	pid_t pid = fork();

	(void)args;
	if (pid < 0)
		return trial_fail(t, "fork");
	if (pid == 0) {
		setsid();
		if (pthread_create(&thread, NULL, tick, NULL) == 0)
			syscall(SYS_exit, 0);
		_exit(1);
	}
	for (;;)
		usleep(SETTLE_US);
}

static int end_stop_parent(struct trial *t, char **args)
{
	if (kill(getppid(), arg_signal(args[0])) < 0)
		return trial_fail(t, "kill");
	return 0;
}

static int end_with(struct trial *t, char **args)
{
	(void)t;
	_exit((int)arg_number(args[0]));
}

/* Runs an attack as its workload and believes the first child that ends. */
static int end_naive_parent(struct trial *t, char **args)
{
	const struct attack *a = attack_find(args[0]);
	char *none[] = { NULL };
	int status;

	if (!a || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return trial_fail(t, "prepare");
	if (fork() == 0)
		_exit(a->run(t, none) == 0 ? 0 : 1);
	if (wait(&status) < 0)
		return trial_fail(t, "wait");
	return trial_say(t, "exit:%d", WEXITSTATUS(status));
}

const struct attack attacks_endings[] = {
	{ "end-sibling", 0, end_sibling },
	{ "end-orphan", 0, end_orphan },
	{ "end-impostor", 1, end_impostor },
	{ "end-kill-all", 2, end_kill_all },
	{ "end-traced", 0, end_traced },
	{ "end-headless", 0, end_headless },
	{ "end-with", 1, end_with },
	{ "signal-parent", 1, end_stop_parent },
	{ "naive-parent", 1, end_naive_parent },
	{ NULL, 0, NULL },
};
