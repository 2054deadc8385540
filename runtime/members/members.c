/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/members/members.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/proc.h"
#include "runtime/tree/tree.h"

/* The first thread of a process may end before the others, and then it has no root. */
static uint64_t id_of_threads(const struct members *m, pid_t pid)
{
	auto_fd int fd = -1;
	struct dirent *e;
	uint64_t id = 0;
	char path[32];
	DIR *d;

	snprintf(path, sizeof(path), "%d/task", pid);
	fd = openat(m->proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d)
		return 0;
	take_fd(&fd);
	while (id == 0 && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]))
			id = tree_id_of_process(m->proc_fd, atoi(e->d_name));
	closedir(d);
	return id;
}

/* Returns ULONG_MAX when it cannot be told. The lines before may be of any length: the groups. */
static unsigned long filters_of(const struct members *m, pid_t pid)
{
	static const char name[] = "Seccomp_filters:";
	auto_file FILE *f = NULL;
	auto_fd int fd = -1;
	char line[128];

	snprintf(line, sizeof(line), "%d/status", pid);
	fd = openat(m->proc_fd, line, O_RDONLY | O_CLOEXEC);
	f = fd < 0 ? NULL : fdopen(fd, "r");
	if (f)
		take_fd(&fd);
	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, name, sizeof(name) - 1) == 0)
			return strtoul(line + sizeof(name) - 1, NULL, 10);
	return ULONG_MAX;
}

static bool is_left_behind(const struct members *m, pid_t pid)
{
	struct proc_stat st;

	return m->parent > 0 && proc_read_stat(m->proc_fd, pid, &st) == 0 && st.ppid == m->parent &&
	       st.start >= m->since && filters_of(m, pid) >= m->filters;
}

unsigned long members_own_filters(const struct members *m)
{
	return filters_of(m, getpid());
}

bool members_has(const struct members *m, pid_t pid)
{
	uint64_t id;

	if (pid == m->except[0] || pid == m->except[1])
		return false;
	if (is_left_behind(m, pid))
		return true;
	id = tree_id_of_process(m->proc_fd, pid);
	if (id == 0)
		id = id_of_threads(m, pid);
	if (id == 0)
		return false;
	for (size_t i = 0; i < m->n_mount_ids; i++)
		if (m->mount_ids[i] == id)
			return true;
	return m->mount_namespace &&
	       tree_namespace_of_process(m->proc_fd, pid) == m->mount_namespace;
}

int members_each(const struct members *m, void (*fn)(pid_t pid, void *ctx), void *ctx)
{
	auto_fd int fd = openat(m->proc_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *e;
	int n = 0;
	DIR *d;

	if (fd < 0)
		return -1;
	d = fdopendir(fd);
	if (!d)
		return -1;
	take_fd(&fd);
	while (errno = 0, (e = readdir(d))) {
		pid_t pid = isdigit((unsigned char)e->d_name[0]) ? atoi(e->d_name) : 0;

		if (pid <= 0 || !members_has(m, pid))
			continue;
		n++;
		if (fn)
			fn(pid, ctx);
	}
	/* A list that broke off is no answer: somebody may be missing from it. */
	if (errno != 0)
		n = -1;
	closedir(d);
	return n;
}

/* Between the look and the kill the number may have become somebody else's: the member
 * test is repeated on what the pidfd holds. */
static void kill_one(pid_t pid, void *ctx)
{
	const struct members *m = ctx;
	auto_fd int fd = pidfd_open(pid, 0);

	if (fd >= 0 && members_has(m, pid))
		pidfd_send_signal(fd, SIGKILL, NULL, 0);
}

int members_kill(const struct members *m, int timeout_ms)
{
	const struct timespec nap = { .tv_nsec = 1000000L };
	int old = getpriority(PRIO_PROCESS, 0), left = -1;
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	/* Against a fork storm the killer must run before the forkers. */
	setpriority(PRIO_PROCESS, 0, -20);
	for (;;) {
		left = members_each(m, kill_one, (void *)m);
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (left <= 0 || (now.tv_sec - begin.tv_sec) * 1000 +
						 (now.tv_nsec - begin.tv_nsec) / 1000000 >
					 timeout_ms)
			break;
		nanosleep(&nap, NULL);
	}
	setpriority(PRIO_PROCESS, 0, old);
	return left;
}
