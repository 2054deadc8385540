/* SPDX-License-Identifier: Apache-2.0
 *
 * Who holds a socket is read from the links of /proc/<pid>/fd and never from the files behind
 * them: a stat of these could be answered by a file system, which may hang, and which gives its
 * own socket files any number.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/members/members.h"

#define LINK_PREFIX "socket:["

struct search {
	int proc_fd;
	struct members_socket *list;
	size_t n;
	size_t left;
};

static int by_inode(const void *a, const void *b)
{
	const uint64_t x = ((const struct members_socket *)a)->inode;
	const uint64_t y = ((const struct members_socket *)b)->inode;

	return x < y ? -1 : x > y;
}

/* Returns 0 for what is no socket. */
static uint64_t inode_of(int dir_fd, const char *name)
{
	char link[48], *end;
	ssize_t n = readlinkat(dir_fd, name, link, sizeof(link) - 1);
	uint64_t inode;

	if (n < 0)
		return 0;
	link[n] = '\0';
	if (strncmp(link, LINK_PREFIX, strlen(LINK_PREFIX)) != 0)
		return 0;
	inode = strtoull(link + strlen(LINK_PREFIX), &end, 10);
	return strcmp(end, "]") == 0 ? inode : 0;
}

static void mark(struct search *q, uint64_t inode)
{
	const struct members_socket wanted = { .inode = inode };
	struct members_socket *s = bsearch(&wanted, q->list, q->n, sizeof(wanted), by_inode);

	if (!s || s->held)
		return;
	s->held = true;
	q->left--;
}

static void look_through(pid_t pid, void *ctx)
{
	struct search *q = ctx;
	auto_fd int fd = -1;
	char path[32];
	struct dirent *e;
	DIR *d;

	if (q->left == 0)
		return;
	snprintf(path, sizeof(path), "%d/fd", pid);
	fd = openat(q->proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d)
		return;
	take_fd(&fd);
	while (q->left > 0 && (e = readdir(d))) {
		uint64_t inode = inode_of(dirfd(d), e->d_name);

		if (inode != 0)
			mark(q, inode);
	}
	closedir(d);
}

bool members_find_sockets(const struct members *m, struct members_socket *list, size_t n)
{
	struct search q = { .proc_fd = m->proc_fd, .list = list, .n = n };

	for (size_t i = 0; i < n; i++)
		q.left += !list[i].held;
	if (q.left > 0 && members_each(m, look_through, &q) < 0)
		return false;
	return q.left == 0;
}
