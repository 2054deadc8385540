/* SPDX-License-Identifier: Apache-2.0
 *
 * A process that waits to be set up is killed, its number is given to a process of the host,
 * and only then does the supervisor go on. For a pid namespace with few numbers.
 *
 *	pidreuse ATTEMPTS SUPERVISOR TID COMMAND...
 *
 * TID is init's thread that forks, COMMAND an exec that asks for a limit of open files. Prints
 * how often the number came again before the supervisor went on and how often afterwards, and
 * how often a process of the host had another limit then.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/helpers/tracing.h"

#define ROUND  600 /* forks: several times what the namespace has */
#define ROUNDS 100

struct counts {
	int early, later, changed;
};

static void give_up(const char *what)
{
	perror(what);
	exit(2);
}

static bool begins_with(pid_t pid, const char *name, const char *after, const char *text)
{
	char path[64], buf[512], *p;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);
	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = '\0';
	p = after ? strstr(buf, after) : buf;
	p = p && after ? p + strlen(after) : p;
	return p && strncmp(p, text, strlen(text)) == 0;
}

static void await(pid_t pid, const char *name, const char *after, const char *text)
{
	for (int i = 0; i < 20000; i++) {
		if (begins_with(pid, name, after, text))
			return;
		usleep(500);
	}
	errno = ETIMEDOUT;
	give_up(text);
}

/* Forks until a process has the number, and returns it; 0 when none got it in a whole round. */
static pid_t take(pid_t wanted)
{
	for (int i = 0; i < ROUND; i++) {
		pid_t pid = fork();

		if (pid < 0)
			give_up("fork");
		if (pid == 0 && getpid() == wanted)
			for (;;)
				pause();
		if (pid == 0)
			_exit(0);
		if (pid == wanted)
			return pid;
		waitpid(pid, NULL, 0);
	}
	return 0;
}

static void attempt(pid_t supervisor, pid_t parent, char **command, struct counts *c)
{
	struct rlimit own, now;
	pid_t child, client, host;

	getrlimit(RLIMIT_NOFILE, &own);
	child = cause_birth(parent, command, &client);
	if (child < 0)
		give_up("birth");
	kill(supervisor, SIGSTOP);
	await(supervisor, "stat", ") ", "T");
	let_go(parent, child);
	/* Waits until the process has reported that it can be set up and reads the answer. */
	await(child, "syscall", NULL, "0 0x");
	kill(child, SIGKILL);
	host = take(child);
	c->early += host > 0;
	kill(supervisor, SIGCONT);
	waitpid(client, NULL, 0);
	/* Init may not have reaped the process yet. */
	for (int i = 0; host == 0 && i < ROUNDS; i++) {
		host = take(child);
		c->later += host > 0;
	}
	if (host == 0)
		return;
	if (prlimit(host, RLIMIT_NOFILE, NULL, &now) < 0 || now.rlim_cur != own.rlim_cur)
		c->changed++;
	kill(host, SIGKILL);
	waitpid(host, NULL, 0);
}

int main(int argc, char **argv)
{
	struct counts c = { 0 };

	if (argc < 5)
		return 2;
	/* The numbers below 300 are given out once only. */
	take(0);
	for (int i = 0; i < atoi(argv[1]); i++)
		attempt(atoi(argv[2]), atoi(argv[3]), argv + 4, &c);
	printf("early %d later %d changed %d\n", c.early, c.later, c.changed);
	return 0;
}
