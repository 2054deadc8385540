/* SPDX-License-Identifier: Apache-2.0
 *
 * Unix sockets where datagrams are allowed and a call must not go on in the kernel: sendmsg(2),
 * which could pass a datagram socket on, and everything of callers with more than one thread.
 * It is done here, with the caller's user, groups, root and working directory. The path is
 * opened first, without magic links: what
 * /proc/self means is ours, and the way through it would lead out.
 *
 * Names that are no path are in the caller's domain (landlock(7)), in which we are not: they
 * are refused.
 */
#include <fcntl.h>
#include <grp.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/base/kernel.h"
#include "runtime/net/internal.h"

#define GROUPS_MAX 256 /* of a caller; one with more is refused */

struct identity {
	uid_t uid;
	gid_t gid;
	gid_t groups[GROUPS_MAX];
	size_t n_groups;
};

static int read_ids(const char *status, const char *name, unsigned int *ret)
{
	const char *line = strstr(status, name);

	/* real, effective, saved, file system */
	return line && sscanf(line + strlen(name), "%*u %u", ret) == 1 ? 0 : -1;
}

/* Of the caller and nobody else: what another thread of it has executed meanwhile has its number,
 * and may have another user (a set-id program). */
static int read_identity(const struct net *n, const struct notif_call *c, struct identity *id)
{
	char path[32], status[8192];
	char *p, *end;

	snprintf(path, sizeof(path), "%d/status", c->pid);
	if (io_slurp(n->setup.proc_fd, path, status, sizeof(status)) < 0 ||
		read_ids(status, "\nUid:", &id->uid) < 0 ||
		read_ids(status, "\nGid:", &id->gid) < 0 || !notif_waits(c))
		return -1;
	p = strstr(status, "\nGroups:");
	if (!p)
		return -1;
	id->n_groups = 0;
	for (p += strlen("\nGroups:"); id->n_groups < GROUPS_MAX; p = end) {
		unsigned long gid;

		p += strspn(p, " \t");
		gid = strtoul(p, &end, 10);
		if (end == p)
			return 0;
		id->groups[id->n_groups++] = (gid_t)gid;
	}
	return -1;
}

/* The saved ids stay: they are the way back. */
static int become(const struct identity *id)
{
	if (syscall(SYS_setgroups, id->n_groups, id->groups) < 0)
		return -1;
	return syscall(SYS_setresgid, id->gid, id->gid, -1) < 0 ||
			       syscall(SYS_setresuid, id->uid, id->uid, -1) < 0
		       ? -1
		       : 0;
}

static void become_again(void)
{
	int saved = errno;

	/* Going on as somebody else would be worse than the container's end. */
	if (syscall(SYS_setresuid, 0, 0, 0) < 0 || syscall(SYS_setresgid, 0, 0, 0) < 0 ||
		syscall(SYS_setgroups, 0, NULL) < 0)
		_exit(1);
	errno = saved;
}

/* The caller's paths begin where ours do, unless it has changed its root. */
static bool has_our_root(const struct net *n, pid_t tid)
{
	struct statx ours, theirs;
	char path[32];

	snprintf(path, sizeof(path), "%d/root", tid);
	return statx(AT_FDCWD, "/", 0, STATX_INO | STATX_MNT_ID, &ours) == 0 &&
	       statx(n->setup.proc_fd, path, 0, STATX_INO | STATX_MNT_ID, &theirs) == 0 &&
	       ours.stx_ino == theirs.stx_ino && ours.stx_mnt_id == theirs.stx_mnt_id;
}

#define PATH_ROOM (sizeof(((struct sockaddr_un *)NULL)->sun_path) + 1)

/* A connect, or a send with a name. */
struct action {
	int sock_fd;
	const char *path;
	const struct mat_message *m; /* NULL: connect */
};

static int open_socket_path(int cwd_fd, const char *path)
{
	const struct open_how how = { .flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_NO_MAGICLINKS };

	return (int)syscall(SYS_openat2, cwd_fd, path, &how, sizeof(how));
}

/* As the caller: its rights decide about the path and the socket. */
static ssize_t act_on_path(const struct net *n, const struct action *act, int cwd_fd)
{
	auto_fd int fd = open_socket_path(cwd_fd, act->path);
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct mat_message m;
	struct timeval bound;
	int rc;

	if (fd < 0 || fchdir(n->setup.proc_fd) < 0)
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
	/* Somebody took the bound away, and ours ended it. */
	if (rc < 0 && errno == EINTR)
		errno = EAGAIN;
	return rc;
}

static ssize_t act_as(const struct net *n, const struct notif_call *c, const struct action *act)
{
	auto_fd int cwd_fd = -1;
	struct identity id;
	char cwd[32];
	ssize_t rc;

	snprintf(cwd, sizeof(cwd), "%d/cwd", c->pid);
	cwd_fd = openat(n->setup.proc_fd, cwd, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (cwd_fd < 0 || !has_our_root(n, c->pid) || read_identity(n, c, &id) < 0) {
		errno = EACCES;
		return -1;
	}
	rc = become(&id) < 0 ? -1 : act_on_path(n, act, cwd_fd);
	become_again();
	return rc;
}

/* The path of a name. Returns 0, or -1 with errno. */
static int read_path(const struct mat_addr *addr, char path[PATH_ROOM])
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

void unix_connect(const struct net *n, const struct notif_call *c, const struct mat_socket *s,
	const struct mat_addr *addr, struct notif_verdict *v)
{
	char path[PATH_ROOM];
	ssize_t rc = -1;

	if (addr->addr.ss_family == AF_UNSPEC)
		rc = connect(s->fd, (const struct sockaddr *)&addr->addr, addr->len);
	else if (s->domain != AF_UNIX)
		errno = EINVAL;
	else if (read_path(addr, path) == 0)
		rc = act_as(n, c, &(struct action){ s->fd, path, NULL });
	if (rc < 0)
		notif_deny(v, errno);
	else
		notif_return(v, 0);
}

ssize_t unix_send(
	const struct net *n, const struct notif_call *c, int sock_fd, const struct mat_message *m)
{
	char path[PATH_ROOM];
	struct identity id;
	ssize_t rc;

	if (m->name.given)
		return read_path(&m->name, path) < 0
			       ? -1
			       : act_as(n, c, &(struct action){ sock_fd, path, m });
	if (read_identity(n, c, &id) < 0) {
		errno = EACCES;
		return -1;
	}
	rc = become(&id) < 0 ? -1 : send_message(sock_fd, m);
	become_again();
	return rc;
}

/* Who connects is told our process id (SO_PEERCRED), but the caller's user and group. */
int unix_listen(const struct net *n, const struct notif_call *c, int sock_fd, int backlog)
{
	struct identity id;
	int rc;

	if (read_identity(n, c, &id) < 0) {
		errno = EACCES;
		return -1;
	}
	rc = become(&id) < 0 ? -1 : listen(sock_fd, backlog);
	become_again();
	return rc;
}
