/* SPDX-License-Identifier: Apache-2.0
 *
 * Processes that resist being ended, and what a process has inherited.
 */
#include "tests/helpers/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* storm: every process forks two and sleeps, in sessions of their own; those that cannot
 * fork try again. Never more than some hundreds: each forks only while its generation is
 * young. storm FOREVER keeps a steady turnover instead: short-lived children, endlessly. */
int probe_storm(int argc, char **argv)
{
	int depth = argc > 0 ? (int)strtol(argv[0], NULL, 10) : 7;

	(void)argv;
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	puts("storm");
	for (int i = 0; i < depth; i++) {
		fork();
		setsid();
	}
	for (;;) {
		if (fork() == 0) {
			setsid();
			usleep(1000);
			_exit(0);
		}
	}
}

/* daemon SECONDS: forks twice with a session of its own and ignores every signal it can;
 * prints the daemon's pid once it is there. */
int probe_daemon(int argc, char **argv)
{
	unsigned int seconds = argc > 0 ? (unsigned int)strtoul(argv[0], NULL, 10) : 60;
	int ready[2];
	char c;

	if (pipe2(ready, O_CLOEXEC) < 0)
		return 1;
	if (fork() == 0) {
		setsid();
		if (fork() != 0)
			_exit(0);
		for (int s = 1; s < NSIG; s++)
			signal(s, SIG_IGN);
		printf("%d\n", getpid());
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		sleep(seconds);
		_exit(0);
	}
	return read(ready[0], &c, 1) == 1 ? 0 : 1;
}

/* die SIGNAL: by its default action, or stays stopped for a stop signal. */
int probe_die(int argc, char **argv)
{
	int sig = argc > 0 ? (int)strtol(argv[0], NULL, 10) : SIGKILL;
	sigset_t set;

	signal(sig, SIG_DFL);
	sigfillset(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
	return 0;
}

/* Policy, static priority and nice value. */
int probe_sched(int argc, char **argv)
{
	struct sched_param p = { 0 };

	(void)argc;
	(void)argv;
	sched_getparam(0, &p);
	printf("%d %d %d\n", sched_getscheduler(0), p.sched_priority, getpriority(PRIO_PROCESS, 0));
	return 0;
}

/* Class and level, ioprio_get(2). */
int probe_ioprio(int argc, char **argv)
{
	long v = syscall(SYS_ioprio_get, 1, 0);

	(void)argc;
	(void)argv;
	if (v < 0)
		return probe_result(v);
	printf("%ld %ld\n", v >> 13, v & 0x1fff);
	return 0;
}

int probe_personality(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	printf("%#x\n", (unsigned int)personality(0xffffffff));
	return 0;
}

/* The open descriptors, found without opening one. */
int probe_fds(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	for (int fd = 0; fd < 1024; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			printf("%d\n", fd);
	}
	return 0;
}

/* hold lease|lock PATH [SECONDS]: takes a write lease or a lock (flock(2)) and keeps it for so
 * long, whoever wants the file. */
int probe_hold(int argc, char **argv)
{
	int fd, rc;

	if (argc < 2)
		return 2;
	signal(SIGIO, SIG_IGN);
	fd = open(argv[1], O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return probe_result(fd);
	rc = probe_result(strcmp(argv[0], "lease") == 0 ? fcntl(fd, F_SETLEASE, F_WRLCK)
							: flock(fd, LOCK_EX | LOCK_NB));
	fflush(stdout);
	if (argc > 2)
		sleep((unsigned int)strtoul(argv[2], NULL, 10));
	return rc;
}
