/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/members/members.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/clock.h"
#include "runtime/members/below.h"

/* Returns ULONG_MAX if the number is not known. fgets() is used because earlier lines (Groups:)
 * may be of any length. */
static unsigned long filters_of(int dir_fd)
{
	static const char name[] = "Seccomp_filters:";
	auto_fd int fd = openat(dir_fd, "status", O_RDONLY | O_CLOEXEC);
	auto_file FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char line[128];

	if (f)
		take_fd(&fd);
	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, name, sizeof(name) - 1) == 0)
			return strtoul(line + sizeof(name) - 1, NULL, 10);
	return ULONG_MAX;
}

unsigned long members_own_filters(const struct members *m)
{
	auto_fd int dir_fd = proc_open_dir(m->proc_fd, "self");

	return filters_of(dir_fd);
}

static bool is_left_behind(const struct members *m, const struct member *p)
{
	struct proc_stat st;

	return m->adopted.parent > 0 && proc_read_stat_at(p->dir_fd, &st) == 0 &&
	       st.ppid == m->adopted.parent && st.start >= m->adopted.since &&
	       filters_of(p->dir_fd) >= m->adopted.filters;
}

static bool is_one(const struct member *p, const struct proc_id *id)
{
	struct proc_stat st;

	return p->pid == id->pid && proc_read_stat_at(p->dir_fd, &st) == 0 && st.start == id->start;
}

static bool belongs(const struct members *m, const struct member *p)
{
	if (is_one(p, &m->supervisor) || is_one(p, &m->init))
		return false;
	return is_left_behind(m, p) || m->test(m, p);
}

/* name is a pid. Returns 1 for a member, 0 for another process or one that has ended, -1 with
 * errno if that cannot be found out. fn may be NULL. */
static int look_at_process(const struct members *m, const char *name, members_fn *fn, void *ctx)
{
	auto_fd int dir_fd = proc_open_dir(m->proc_fd, name);
	struct member p = { .dir_fd = dir_fd, .pid = atoi(name) };

	if (dir_fd < 0)
		return errno == ENOENT || errno == ESRCH ? 0 : -1;
	if (!belongs(m, &p))
		return 0;
	if (fn)
		fn(&p, ctx);
	if (p.dir_fd < 0)
		take_fd(&dir_fd);
	return 1;
}

bool members_has(const struct members *m, pid_t pid)
{
	char name[16];

	snprintf(name, sizeof(name), "%d", pid);
	return look_at_process(m, name, NULL, NULL) > 0;
}

static int each_anywhere(const struct members *m, members_fn *fn, void *ctx)
{
	auto_fd int fd = proc_open_dir(m->proc_fd, ".");
	struct dirent *e;
	int n = 0, rc = 0;
	DIR *d;

	if (fd < 0)
		return -1;
	d = fdopendir(fd);
	if (!d)
		return -1;
	take_fd(&fd);
	while (rc >= 0 && (errno = 0, e = readdir(d)) != NULL) {
		rc = isdigit((unsigned char)e->d_name[0]) ? look_at_process(m, e->d_name, fn, ctx)
							  : 0;
		n += rc;
	}
	/* After a read error the list is incomplete, so this returns an error. */
	if (rc < 0 || errno != 0)
		n = -1;
	closedir(d);
	return n;
}

static int say_changed(void)
{
	errno = EAGAIN;
	return -1;
}

static int each_below(const struct members *m, members_fn *fn, void *ctx)
{
	struct below before, after;
	int n = 0, rc = 0;

	if (m->supervisor.pid <= 0 || below_list(m->proc_fd, m->supervisor.pid, &before) < 0)
		return say_changed();
	for (size_t i = 0; rc >= 0 && i < before.n; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%d", before.pids[i]);
		rc = look_at_process(m, name, fn, ctx);
		n += rc;
	}
	if (rc < 0)
		return -1;
	if (below_list(m->proc_fd, m->supervisor.pid, &after) < 0 || !below_same(&before, &after))
		return say_changed();
	return n;
}

int members_each(const struct members *m, enum members_where where, members_fn *fn, void *ctx)
{
	return where == MEMBERS_ANYWHERE ? each_anywhere(m, fn, ctx) : each_below(m, fn, ctx);
}

/* pidfd_send_signal(2) accepts the /proc directory of a process as well. So the signal goes to
 * the process that was checked, even if its pid is reused. */
static void kill_one(struct member *p, void *ctx)
{
	(void)ctx;
	pidfd_send_signal(p->dir_fd, SIGKILL, NULL, 0);
}

int members_kill(const struct members *m, int timeout_ms)
{
	const struct timespec nap = { .tv_nsec = 1000000L };
	int old = getpriority(PRIO_PROCESS, 0), left = -1;
	const int64_t begin = clock_now_ms();

	/* This process must run before those of a fork bomb. */
	setpriority(PRIO_PROCESS, 0, -20);
	for (;;) {
		left = members_each(m, MEMBERS_ANYWHERE, kill_one, NULL);
		if (left <= 0 || clock_now_ms() - begin > timeout_ms)
			break;
		nanosleep(&nap, NULL);
	}
	setpriority(PRIO_PROCESS, 0, old);
	return left;
}
