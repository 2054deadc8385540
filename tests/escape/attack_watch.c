/* SPDX-License-Identifier: Apache-2.0
 *
 * Lying in wait inside a container for what the runtime brings in: a process that is to be
 * exec'd is, for a moment, an image of the runtime's own binary within reach of the
 * container's root (CVE-2019-5736, CVE-2016-9962).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/escape/attack.h"
#include "tests/escape/numbers.h"

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Calls look for every process in sight but the caller's own, until the time is over or it
 * returns true. */
static bool each_round(double seconds, bool (*look)(struct trial *t, pid_t pid, void *arg),
	struct trial *t, void *arg)
{
	const double end = now() + seconds;

	while (now() < end) {
		DIR *d = opendir("/proc");

		if (!d)
			return false;
		for (struct dirent *e; (e = readdir(d));) {
			pid_t pid = (pid_t)atoi(e->d_name);

			if (pid > 0 && pid != getpid() && pid != getppid() && look(t, pid, arg)) {
				closedir(d);
				return true;
			}
		}
		closedir(d);
	}
	return false;
}

static bool opens(pid_t pid, const char *name, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, flags | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Is it the runtime's image still? The link names what runs; ours is /attack. */
static bool foreign_image(pid_t pid)
{
	char path[64], target[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return false;
	target[n] = '\0';
	return strcmp(target, "/attack") != 0;
}

static bool look_image(struct trial *t, pid_t pid, void *arg)
{
	int *seen = arg;

	if (!foreign_image(pid))
		return false;
	++*seen;
	if (opens(pid, "exe", O_RDONLY) || opens(pid, "exe", O_RDWR)) {
		trial_say(t, "exe");
		return foreign_image(pid); /* it may have become the container's own meanwhile */
	}
	return false;
}

/* Reports `none`, or that the image of a foreign binary could be opened. */
static int watch_image(struct trial *t, char **args)
{
	int seen = 0;

	if (each_round(strtod(args[0], NULL), look_image, t, &seen))
		return 0;
	fprintf(stderr, "seen %d times\n", seen);
	return trial_say(t, "none");
}

static bool look_memory(struct trial *t, pid_t pid, void *arg)
{
	(void)arg;
	if (!foreign_image(pid) || !opens(pid, "mem", O_RDWR) || !foreign_image(pid))
		return false;
	trial_say(t, "mem");
	return true;
}

static int watch_memory(struct trial *t, char **args)
{
	if (each_round(strtod(args[0], NULL), look_memory, t, NULL))
		return 0;
	return trial_say(t, "none");
}

struct rights {
	unsigned long caps, filters, locked;
};

static bool read_rights(const char *pid, struct rights *ret)
{
	char line[256];
	FILE *f;

	snprintf(line, sizeof(line), "/proc/%s/status", pid);
	f = fopen(line, "re");
	if (!f)
		return false;
	while (fgets(line, sizeof(line), f)) {
		sscanf(line, "CapPrm: %lx", &ret->caps);
		sscanf(line, "Seccomp_filters: %lu", &ret->filters);
		sscanf(line, "NoNewPrivs: %lu", &ret->locked);
	}
	fclose(f);
	return true;
}

/* Changing the user, and ending what is to be ended (docs/security.md): all of them fenced. */
#define PREPARING                                                                                  \
	(1UL << CAP_CHOWN | 1UL << CAP_KILL | 1UL << CAP_SETGID | 1UL << CAP_SETUID |              \
		1UL << CAP_SETPCAP)

struct worth {
	struct rights own;
	bool taken; /* one at least could have been taken over */
};

/* Who takes over a process that is not yet executed gets what it has. The memory stays open
 * while it is looked at, so that it cannot be another process by then. */
static bool look_worth(struct trial *t, pid_t pid, void *arg)
{
	struct worth *w = arg;
	struct rights other = { 0 };
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	if (!foreign_image(pid) || (fd = open(path, O_RDWR | O_CLOEXEC)) < 0)
		return false;
	snprintf(path, sizeof(path), "%d", pid);
	if (read_rights(path, &other) && foreign_image(pid)) {
		w->taken = true;
		if (other.caps & ~(w->own.caps | PREPARING))
			trial_say(t, "caps:%lx", other.caps & ~w->own.caps);
		else if (other.filters != w->own.filters)
			trial_say(t, "filters:%lu", other.filters);
		else if (other.locked != w->own.locked)
			trial_say(t, "no_new_privs:%lu", other.locked);
	}
	close(fd);
	return t->note[0] != '\0';
}

/* Reports `nothing` when processes could be taken over and it was not worth while. */
static int watch_worth(struct trial *t, char **args)
{
	struct worth w = { .taken = false };

	if (!read_rights("self", &w.own))
		return trial_fail(t, "status");
	if (each_round(strtod(args[0], NULL), look_worth, t, &w))
		return 0;
	return trial_say(t, w.taken ? "nothing" : "none");
}

static bool look_signal(struct trial *t, pid_t pid, void *arg)
{
	const int *number = arg;

	(void)t;
	kill(pid, *number);
	return false;
}

/* Signals whatever appears, as long as it lasts. */
static int watch_pester(struct trial *t, char **args)
{
	int number = arg_signal(args[1]);

	each_round(strtod(args[0], NULL), look_signal, t, &number);
	return trial_say(t, "done");
}

static pid_t last_pid(void)
{
	char text[128] = "", *p;
	FILE *f = fopen("/proc/loadavg", "re");

	if (f && fgets(text, sizeof(text), f) && (p = strrchr(text, ' '))) {
		fclose(f);
		return (pid_t)atoi(p);
	}
	if (f)
		fclose(f);
	return 0;
}

/* Stops the next process that is born within reach, as early as can be. */
static pid_t stop_next(double end)
{
	while (now() < end) {
		pid_t last = last_pid();

		for (int round = 0; round < 40; round++)
			for (pid_t p = last + 1; p <= last + 24; p++)
				if (p != getpid() && kill(p, SIGSTOP) == 0)
					return p;
	}
	return 0;
}

/* Whether it has what leads to others: another socket than its one, or something anonymous. */
static bool holds_more(struct trial *t, pid_t pid)
{
	char path[64], target[128], own[128] = "";
	bool more = false;
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	d = opendir(path);
	while (d && !more && (e = readdir(d))) {
		ssize_t n = readlinkat(dirfd(d), e->d_name, target, sizeof(target) - 1);

		if (n <= 0)
			continue;
		target[n] = '\0';
		more = strncmp(target, "anon_inode:", 11) == 0;
		if (strncmp(target, "socket:", 7) != 0)
			continue;
		/* It is there twice while the process puts it into its place. */
		more = own[0] && strcmp(own, target) != 0;
		memcpy(own, target, sizeof(own));
	}
	if (d)
		closedir(d);
	if (more)
		trial_say(t, "%.*s", (int)strcspn(target, "["), target);
	return more;
}

/* Reports `own` when it has stopped processes that had not executed yet and they held nothing but
 * their own, `none` when it has stopped none. */
static int watch_birth(struct trial *t, char **args)
{
	const double end = now() + strtod(args[0], NULL);
	const int wanted = atoi(args[1]);
	int stopped = 0;
	pid_t pid;

	while (stopped < wanted && (pid = stop_next(end)) > 0) {
		bool more = foreign_image(pid) && holds_more(t, pid) && foreign_image(pid);

		usleep(1000); /* it may be on its way to its stop */
		more = more || (foreign_image(pid) && holds_more(t, pid));
		stopped += foreign_image(pid);
		kill(pid, SIGCONT);
		if (more)
			return 0;
		t->note[0] = '\0';
	}
	return trial_say(t, stopped ? "own" : "none");
}

const struct attack attacks_watch[] = {
	{ "watch-image", 1, watch_image },
	{ "watch-memory", 1, watch_memory },
	{ "watch-worth", 1, watch_worth },
	{ "pester", 2, watch_pester },
	{ "watch-birth", 2, watch_birth },
	{ NULL, 0, NULL },
};
