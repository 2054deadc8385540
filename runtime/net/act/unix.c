/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls on unix sockets that must not continue in the kernel where datagram sockets are allowed:
 * sendmsg(2), which could pass a datagram socket to another process, and every call of a process
 * with more than one thread. The supervisor performs them with the caller's user, groups, root and
 * working directory. It opens the path first, and does not follow magic links: in the supervisor
 * /proc/self is another process, and such a link would lead out of the container's tree.
 *
 * Abstract names are refused: they belong to the caller's Landlock domain (landlock(7)), and the
 * supervisor is not in this domain.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/base/kernel.h"
#include "runtime/net/act/act.h"

#define PATH_ROOM (sizeof(((struct sockaddr_un *)NULL)->sun_path) + 1)

/* A connect, or a send with an address. */
struct action {
	int sock_fd;
	const char *path;
	const struct mat_message *m; /* NULL: connect */
};

/* statfs(2): the flags are those of the mount and of the file system. */
static int check_writable(int fd)
{
	struct statvfs st;

	if (fstatvfs(fd, &st) < 0)
		return -1;
	if (!(st.f_flag & ST_RDONLY))
		return 0;
	errno = EACCES;
	return -1;
}

/* Runs with the caller's identity, so the caller's permissions decide about the path and the
 * socket. */
static ssize_t act_on_path(struct unix_base *u, const struct action *act, const struct walk *at)
{
	auto_fd int fd = walk_to_now(&u->brief, at, act->path);
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct mat_message m;
	struct timeval bound;
	int rc;

	if (fd < 0 || (u->writable_only && check_writable(fd) < 0) || fchdir(u->proc_fd) < 0)
		return -1;
	snprintf(a.sun_path, sizeof(a.sun_path), "self/fd/%d", fd);
	if (act->m) {
		m = *act->m;
		memcpy(&m.name.addr, &a, sizeof(a));
		m.name.len = sizeof(a);
		return send_message(act->sock_fd, &m);
	}
	if (guard_shorten(act->sock_fd, SO_SNDTIMEO, &bound) < 0)
		return -1;
	rc = connect(act->sock_fd, (const struct sockaddr *)&a, sizeof(a));
	guard_restore(act->sock_fd, SO_SNDTIMEO, &bound);
	/* Another thread removed the timeout, and the supervisor's guard interrupted the call. */
	if (rc < 0 && errno == EINTR)
		errno = EAGAIN;
	return rc;
}

int unix_begin_as(const struct notif_call *c, struct caller *who, struct act *ret)
{
	if (caller_read(c, who) < 0)
		return -1;
	*ret = (struct act){ .who = who, .account = who->uid, .caps = who->caps & NET_PATH_CAPS };
	return act_begin_on_path(ret);
}

static ssize_t act_as(struct unix_base *u, const struct notif_call *c, const struct action *action)
{
	auto_walk struct walk at = WALK_NONE;
	struct caller who;
	struct act as;
	ssize_t rc;

	/* The caller's identity is read last: it confirms that what was opened before belongs to
	 * the same caller. */
	if (walk_open(u->proc_fd, c, &at) < 0 || unix_begin_as(c, &who, &as) < 0) {
		errno = EACCES;
		return -1;
	}
	rc = act_on_path(u, action, &at);
	act_end(&as);
	return rc;
}

/* Reads the path in an address. Returns 0, or -1 with errno. */
static int read_unix_path(const struct mat_addr *addr, char path[PATH_ROOM])
{
	const struct sockaddr_un *a = (const struct sockaddr_un *)&addr->addr;
	size_t len = addr->len > offsetof(struct sockaddr_un, sun_path)
			     ? addr->len - offsetof(struct sockaddr_un, sun_path)
			     : 0;

	if (addr->addr.ss_family != AF_UNIX || len > sizeof(a->sun_path)) {
		errno = EINVAL;
		return -1;
	}
	if (len == 0 || a->sun_path[0] == '\0') {
		errno = EACCES;
		return -1;
	}
	memset(path, 0, PATH_ROOM);
	memcpy(path, a->sun_path, len);
	return 0;
}

void unix_connect(struct unix_base *u, const struct notif_call *c, const struct mat_socket *s,
	const struct mat_addr *addr, struct notif_verdict *v)
{
	char path[PATH_ROOM];
	ssize_t rc = -1;

	if (addr->addr.ss_family == AF_UNSPEC)
		rc = connect(s->fd, (const struct sockaddr *)&addr->addr, addr->len);
	else if (s->domain != AF_UNIX)
		errno = EINVAL;
	else if (read_unix_path(addr, path) == 0)
		rc = act_as(u, c, &(struct action){ s->fd, path, NULL });
	notif_result(v, rc);
}

ssize_t unix_send(
	struct unix_base *u, const struct notif_call *c, int sock_fd, const struct mat_message *m)
{
	char path[PATH_ROOM];
	struct caller who;
	struct act as;
	ssize_t rc;

	if (m->name.given)
		return read_unix_path(&m->name, path) < 0
			       ? -1
			       : act_as(u, c, &(struct action){ sock_fd, path, m });
	if (unix_begin_as(c, &who, &as) < 0)
		return -1;
	rc = send_message(sock_fd, m);
	act_end(&as);
	return rc;
}

/* A client sees the process id of the supervisor (SO_PEERCRED), but the caller's user and group. */
int unix_listen(const struct notif_call *c, int sock_fd, int backlog)
{
	struct caller who;
	struct act as;
	int rc;

	if (unix_begin_as(c, &who, &as) < 0)
		return -1;
	rc = listen(sock_fd, backlog);
	act_end(&as);
	return rc;
}
