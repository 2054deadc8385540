/* SPDX-License-Identifier: Apache-2.0
 *
 * bind(2) of a socket that is not an internet socket. The supervisor performs it with its own copy
 * of the address and a duplicate of the socket: on a shared stack the abstract names of unix(7) are
 * the host's, and the address in the caller's memory could change between the decision and the
 * call.
 *
 * A child process (base/brief.h) binds a path. It takes the caller's user, groups, file mode mask
 * and working directory. It uses the address that the caller gave, because the socket keeps it as
 * its name (getsockname(2)). So the kernel resolves the path itself, and a magic link of /proc/self
 * would be the child's. Landlock limits that: the child can create sockets only below the
 * container's tree, although the caller's working directory or root may be in another container's
 * tree. On a kernel without Landlock, and where the caller has another root, the directory is
 * opened first, without magic links, and the socket's name is the last component alone.
 *
 * If the caller has restricted itself with a Landlock domain, that domain is not applied here.
 */
#include <fcntl.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/net/act/act.h"

#define CHILD_SOCKET    0 /* descriptors of the child */
#define CHILD_DIRECTORY 1

struct job {
	struct unix_base *u;
	const struct notif_call *c;
	int sock_fd;
	struct walk at;
	struct sockaddr_un addr;
	socklen_t len;
};

/* Opens the directory, returns it and makes the address relative to it. */
static int enter_parent(struct job *j)
{
	char path[sizeof(j->addr.sun_path) + 1] = "";
	const char *last;
	int fd;

	memcpy(path, j->addr.sun_path, j->len - offsetof(struct sockaddr_un, sun_path));
	fd = walk_to_parent(&j->at, path, &last);
	/* The path is the root: an address without a name would be an abstract one. */
	if (fd >= 0 && !*last) {
		close(fd);
		errno = EADDRINUSE;
		return -1;
	}
	memset(j->addr.sun_path, 0, sizeof(j->addr.sun_path));
	memcpy(j->addr.sun_path, last, strlen(last));
	j->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(last) + 1);
	if (j->len > sizeof(j->addr))
		j->len = sizeof(j->addr);
	return fd;
}

static int bind_in_child(void *job)
{
	struct job *j = job;
	struct caller who;
	struct act as;
	int dir_fd = j->at.cwd_fd;
	bool fenced;

	if (unix_begin_as(j->c, &who, &as) < 0)
		return -1;
	fenced = j->u->fence_sockets() == 0;
	if (!fenced && errno != ENOSYS && errno != EOPNOTSUPP)
		return -1;
	if (j->at.root_fd >= 0 || !fenced)
		dir_fd = enter_parent(j);
	if (dir_fd < 0 || dup2(j->sock_fd, CHILD_SOCKET) < 0 || dup2(dir_fd, CHILD_DIRECTORY) < 0 ||
		close_range(CHILD_DIRECTORY + 1, ~0U, 0) < 0 || fchdir(CHILD_DIRECTORY) < 0)
		return -1;
	umask(who.umask);
	return bind(CHILD_SOCKET, (const struct sockaddr *)&j->addr, j->len);
}

static int bind_path(struct job *j)
{
	int rc;

	if (walk_open(j->u->proc_fd, j->c, &j->at) < 0) {
		errno = EACCES;
		return -1;
	}
	rc = brief_run(&j->u->brief, bind_in_child, j);
	walk_close(&j->at);
	return rc;
}

/* Binds the port id that netlink_autobind() would try first: the id of the caller's process, not of
 * the supervisor. */
static int bind_netlink(int sock_fd, const struct mat_addr *a, pid_t tgid)
{
	struct sockaddr_nl own;
	int rc;

	memcpy(&own, &a->addr, sizeof(own));
	if (own.nl_pid == 0)
		own.nl_pid = (uint32_t)tgid;
	rc = bind(sock_fd, (const struct sockaddr *)&own, sizeof(own));
	if (rc < 0 && errno == EADDRINUSE)
		rc = bind(sock_fd, (const struct sockaddr *)&a->addr, a->len);
	return rc;
}

/* An address that the kernel chooses conflicts with nobody (unix(7), autobind). Addresses of other
 * families lead nowhere. */
static int bind_plain(
	const struct notif_call *c, const struct mat_socket *s, const struct mat_addr *a)
{
	struct caller who;
	struct act as;
	int rc;

	if (unix_begin_as(c, &who, &as) < 0)
		return -1;
	rc = s->domain == AF_NETLINK && a->len >= sizeof(struct sockaddr_nl)
		     ? bind_netlink(s->fd, a, who.tgid)
		     : bind(s->fd, (const struct sockaddr *)&a->addr, a->len);
	act_end(&as);
	return rc;
}

static int bind_named(
	struct unix_base *u, const struct notif_call *c, int sock_fd, const struct mat_addr *a)
{
	struct job j = { .u = u, .c = c, .sock_fd = sock_fd, .len = a->len };

	if (a->len > sizeof(j.addr)) {
		errno = EINVAL;
		return -1;
	}
	memcpy(&j.addr, &a->addr, a->len);
	if (j.addr.sun_path[0] == '\0') {
		errno = EPERM;
		return -1;
	}
	return bind_path(&j);
}

void unix_bind(struct unix_base *u, const struct notif_call *c, const struct mat_socket *s,
	struct notif_verdict *v)
{
	struct mat_addr a;
	int rc = mat_address(c, c->args[1], c->args[2], &a);

	if (rc == 0 && s->domain == AF_UNIX && a.addr.ss_family == AF_UNIX &&
		a.len > offsetof(struct sockaddr_un, sun_path))
		rc = bind_named(u, c, s->fd, &a);
	else if (rc == 0)
		rc = bind_plain(c, s, &a);
	notif_result(v, rc);
}
