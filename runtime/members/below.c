/* SPDX-License-Identifier: Apache-2.0
 *
 * The processes below one, by /proc/<pid>/task/<tid>/children (proc(5)): other people's cost
 * nothing then. The list can miss a process when one beside it, its parent, or a thread of that
 * ends meanwhile; but then it is another one the next time. So who gets the same list before and
 * after his work has missed nobody who was there all the time.
 */
#include "runtime/members/below.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"

/* Of one thread's children as text. */
#define CHILDREN_BYTES 16384

DIR *below_open_dir(int proc_fd, pid_t pid, const char *name)
{
	auto_fd int fd = -1;
	char path[32];
	DIR *d;

	snprintf(path, sizeof(path), "%d/%s", pid, name);
	fd = openat(proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d = fd < 0 ? NULL : fdopendir(fd);
	if (d)
		take_fd(&fd);
	return d;
}

static int add_children_of_thread(int proc_fd, pid_t pid, pid_t tid, struct below *b)
{
	char path[64], text[CHILDREN_BYTES], *p = text, *end;
	ssize_t len;

	snprintf(path, sizeof(path), "%d/task/%d/children", pid, tid);
	len = io_slurp(proc_fd, path, text, sizeof(text));
	if (len < 0 || len >= CHILDREN_BYTES - 1)
		return -1;
	for (;;) {
		long child = strtol(p, &end, 10);

		if (end == p)
			return 0;
		if (b->n == BELOW_MAX)
			return -1;
		b->pids[b->n++] = (pid_t)child;
		p = end;
	}
}

/* By the links of its directory of threads: two, and one for each. */
static bool has_one_thread(int proc_fd, pid_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "%d/task", pid);
	return fstatat(proc_fd, path, &st, 0) == 0 && st.st_nlink == 3;
}

static int add_children(int proc_fd, pid_t pid, struct below *b)
{
	struct dirent *e;
	int rc = 0;
	DIR *d;

	if (has_one_thread(proc_fd, pid))
		return add_children_of_thread(proc_fd, pid, pid, b);
	d = below_open_dir(proc_fd, pid, "task");
	if (!d)
		return -1;
	while (rc == 0 && (e = readdir(d))) {
		const pid_t tid = atoi(e->d_name);

		if (tid > 0)
			rc = add_children_of_thread(proc_fd, pid, tid, b);
	}
	closedir(d);
	return rc;
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
