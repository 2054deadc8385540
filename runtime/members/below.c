/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists the descendants of a process by /proc/<pid>/task/<tid>/children (proc(5)), so that other
 * processes of the machine cost no time. The kernel's list can miss a process when a sibling,
 * its parent or a thread of its parent ends at the same time; but then the next list differs. So
 * a caller that gets the same list before and after its work has missed no process that existed
 * all the time.
 */
#include "runtime/members/below.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/members/members.h"

/* For the list of one thread, as text. */
#define CHILDREN_BYTES 16384

struct lister {
	struct below *below;
	bool complete;
};

/* thread: the path of its directory. */
static bool add_children_of_thread(int dir_fd, const char *thread, void *ctx)
{
	char path[64], text[CHILDREN_BYTES], *p = text, *end;
	struct lister *l = ctx;
	struct below *b = l->below;
	ssize_t len;

	snprintf(path, sizeof(path), "%s/children", thread);
	len = io_slurp(dir_fd, path, text, sizeof(text));
	l->complete = len >= 0 && len < CHILDREN_BYTES - 1;
	while (l->complete) {
		long child = strtol(p, &end, 10);

		if (end == p)
			return true;
		if (b->n < BELOW_MAX)
			b->pids[b->n++] = (pid_t)child;
		else
			l->complete = false;
		p = end;
	}
	return false;
}

/* The link count of the task directory is two plus one for each thread. */
static bool has_one_thread(int proc_fd, pid_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "%d/task", pid);
	return fstatat(proc_fd, path, &st, 0) == 0 && st.st_nlink == 3;
}

static int add_children(int proc_fd, pid_t pid, struct below *b)
{
	struct lister l = { b, false };
	auto_fd int dir_fd = -1;
	char path[32];

	if (has_one_thread(proc_fd, pid)) {
		snprintf(path, sizeof(path), "%d/task/%d", pid, pid);
		return add_children_of_thread(proc_fd, path, &l) ? 0 : -1;
	}
	snprintf(path, sizeof(path), "%d", pid);
	dir_fd = proc_open_dir(proc_fd, path);
	if (dir_fd < 0 || members_each_thread(dir_fd, add_children_of_thread, &l) < 0)
		return -1;
	return l.complete ? 0 : -1;
}

int below_list(int proc_fd, pid_t top, struct below *ret)
{
	ret->pids[0] = top;
	ret->n = 1;
	for (size_t i = 0; i < ret->n; i++)
		if (add_children(proc_fd, ret->pids[i], ret) < 0)
			return -1;
	return 0;
}

bool below_same(const struct below *a, const struct below *b)
{
	return a->n == b->n && memcmp(a->pids, b->pids, a->n * sizeof(*a->pids)) == 0;
}
