/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens the paths of callers, from the caller's root and working directory. Magic links are not
 * followed: in the supervisor /proc/self is another process, and such a link would lead out of the
 * container's tree.
 */
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/kernel.h"
#include "runtime/net/act/act.h"

static bool has_our_root(int proc_fd, pid_t tid)
{
	struct statx ours, theirs;
	char path[32];

	snprintf(path, sizeof(path), "%d/root", tid);
	return statx(AT_FDCWD, "/", AT_STATX_DONT_SYNC, STATX_INO | STATX_MNT_ID, &ours) == 0 &&
	       statx(proc_fd, path, AT_STATX_DONT_SYNC, STATX_INO | STATX_MNT_ID, &theirs) == 0 &&
	       ours.stx_ino == theirs.stx_ino && ours.stx_mnt_id == theirs.stx_mnt_id;
}

static int open_link(int proc_fd, pid_t tid, const char *name)
{
	char path[32];

	snprintf(path, sizeof(path), "%d/%s", tid, name);
	return openat(proc_fd, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int walk_open(int proc_fd, const struct notif_call *c, struct walk *ret)
{
	struct walk at = { -1, open_link(proc_fd, c->pid, "cwd") };
	const bool ours = has_our_root(proc_fd, c->pid);

	if (!ours)
		at.root_fd = open_link(proc_fd, c->pid, "root");
	if (at.cwd_fd < 0 || (!ours && at.root_fd < 0)) {
		walk_close(&at);
		return -1;
	}
	*ret = at;
	return 0;
}

void walk_close(struct walk *at)
{
	drop_fd(&at->root_fd);
	drop_fd(&at->cwd_fd);
}

/* The supervisor has another root than the caller. Therefore a relative path of a caller with its
 * own root must not lead up, nor to an absolute link. */
static int open_walked(const struct walk *at, const char *path, int flags, uint64_t resolve)
{
	struct open_how how = { .flags = (uint64_t)flags | O_CLOEXEC,
		.resolve = RESOLVE_NO_MAGICLINKS | resolve };
	int dir_fd = at->cwd_fd, fd;

	if (at->root_fd >= 0 && path[0] == '/') {
		how.resolve |= RESOLVE_IN_ROOT;
		dir_fd = at->root_fd;
	} else if (at->root_fd >= 0) {
		how.resolve |= RESOLVE_BENEATH;
	}
	fd = (int)syscall(SYS_openat2, dir_fd, path, &how, sizeof(how));
	if (fd < 0 && errno == EXDEV)
		errno = EACCES;
	return fd;
}

int walk_to(const struct walk *at, const char *path, int flags)
{
	return open_walked(at, path, flags, 0);
}

struct look_ahead {
	const struct walk *at;
	const char *path;
};

/* Runs in a child process, with only the caller's root and working directory open. */
static int look_ahead(void *ctx)
{
	const struct look_ahead *l = ctx;
	const struct walk at = { l->at->root_fd >= 0 ? 0 : -1, 1 };

	if ((l->at->root_fd >= 0 && dup2(l->at->root_fd, at.root_fd) < 0) ||
		dup2(l->at->cwd_fd, at.cwd_fd) < 0 || close_range(2, ~0U, 0) < 0)
		return -1;
	return open_walked(&at, l->path, O_PATH, 0) < 0 ? -1 : 0;
}

int walk_to_now(struct brief *b, const struct walk *at, const char *path)
{
	struct look_ahead l = { at, path };
	int fd = open_walked(at, path, O_PATH, RESOLVE_CACHED);

	if (fd >= 0 || errno != EAGAIN)
		return fd;
	/* After the child's lookup the kernel has the path in its cache, whatever the result was.
	 * */
	if (brief_run(b, look_ahead, &l) < 0 && errno == EIO)
		return -1;
	return walk_to(at, path, O_PATH);
}

int walk_to_parent(const struct walk *at, const char *path, const char **ret_last)
{
	char parent[PATH_MAX];
	size_t end = strlen(path);

	while (end > 1 && path[end - 1] == '/')
		end--;
	while (end > 0 && path[end - 1] != '/')
		end--;
	if (end >= sizeof(parent)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(parent, path, end);
	parent[end] = '\0';
	*ret_last = path + end;
	return walk_to(at, end ? parent : ".", O_PATH | O_DIRECTORY);
}
