/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds out who holds a socket from the links of /proc/<pid>/fd. It does not stat the files: a
 * file system could answer that, which may hang, and which can give its own socket files any
 * inode number.
 *
 * Only the owner may open that directory, and for processes of other users the supervisor has no
 * right but to trace them. Then /proc/<pid>/fdinfo gives the same answer (Linux 5.14): a socket
 * is a file on the kernel's internal mount of sockets.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/members/members.h"

#define LINK_PREFIX "socket:["

struct socket_search {
	int proc_fd;
	struct members_socket *list;
	size_t n;
	size_t left;
	uint64_t socket_mount; /* 0: not known yet */
};

static int by_inode(const void *a, const void *b)
{
	const uint64_t x = ((const struct members_socket *)a)->inode;
	const uint64_t y = ((const struct members_socket *)b)->inode;

	return x < y ? -1 : x > y;
}

/* Returns 0 if the file is not a socket. */
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

static void mark(struct socket_search *q, uint64_t inode)
{
	const struct members_socket wanted = { .inode = inode };
	struct members_socket *s = bsearch(&wanted, q->list, q->n, sizeof(wanted), by_inode);

	if (!s || s->held)
		return;
	s->held = true;
	q->left--;
}

/* Returns the inode number, 0 if it cannot be read. */
static uint64_t read_info(int dir_fd, const char *name, uint64_t *ret_mount)
{
	char text[256];

	if (io_slurp(dir_fd, name, text, sizeof(text)) < 0)
		return 0;
	*ret_mount = proc_number_in(text, "\nmnt_id:");
	return proc_number_in(text, "\nino:");
}

static void find_socket_mount(struct socket_search *q)
{
	int pair[2];
	char path[32];

	if (q->socket_mount != 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return;
	snprintf(path, sizeof(path), "self/fdinfo/%d", pair[0]);
	read_info(q->proc_fd, path, &q->socket_mount);
	close(pair[0]);
	close(pair[1]);
}

static uint64_t inode_by_info(const struct socket_search *q, int dir_fd, const char *name)
{
	uint64_t mount = 0, inode = read_info(dir_fd, name, &mount);

	return mount != 0 && mount == q->socket_mount ? inode : 0;
}

static DIR *open_dir(const struct member *p, const char *name)
{
	auto_fd int fd = proc_open_dir(p->dir_fd, name);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (d)
		take_fd(&fd);
	return d;
}

static void look_through(struct member *p, void *ctx)
{
	struct socket_search *q = ctx;
	bool by_info = false;
	struct dirent *e;
	DIR *d;

	if (q->left == 0)
		return;
	d = open_dir(p, "fd");
	if (!d && errno == EACCES) {
		by_info = true;
		find_socket_mount(q);
		d = open_dir(p, "fdinfo");
	}
	if (!d)
		return;
	while (q->left > 0 && (e = readdir(d))) {
		uint64_t inode = by_info ? inode_by_info(q, dirfd(d), e->d_name)
					 : inode_of(dirfd(d), e->d_name);

		if (inode != 0)
			mark(q, inode);
	}
	closedir(d);
}

bool members_find_sockets(const struct members *m, struct members_socket *list, size_t n)
{
	struct socket_search q = { .proc_fd = m->proc_fd, .list = list, .n = n };

	qsort(list, n, sizeof(*list), by_inode);
	for (size_t i = 0; i < n; i++)
		q.left += !list[i].held;
	if (q.left == 0 || members_each(m, MEMBERS_BELOW_SUPERVISOR, look_through, &q) >= 0)
		return q.left == 0;
	return q.left == 0 ||
	       (members_each(m, MEMBERS_ANYWHERE, look_through, &q) >= 0 && q.left == 0);
}
