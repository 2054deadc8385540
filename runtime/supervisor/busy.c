/* SPDX-License-Identifier: Apache-2.0
 *
 * A mount point can be neither removed nor renamed, nor can anything be renamed over it: EBUSY.
 * The kernel gives this error only to a process in the mount namespace of that mount, and a
 * detached tree is in none; so the supervisor gives it. This protects nothing: a call whose path
 * cannot be resolved goes on in the kernel.
 *
 * Most calls name nothing that any mount point of the tree is called; they go on as soon as
 * their path has been read. For the others the supervisor resolves the path as the caller would,
 * but with RESOLVE_CACHED only: the directory entries above a mount point stay in the cache, and
 * no slow file system can delay the supervisor.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/supervisor/internal.h"

#define LOOKUP_TRIES 64

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns whether the last component of the path is the name of a mount point. Cuts slashes at
 * the end off: with them the lookup would follow a symbolic link. */
static bool may_be_meant(const struct supervisor *s, char *path)
{
	size_t len = strlen(path);
	const char *name;

	while (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';
	if (len == 0)
		return false;
	if (!s->busy_names)
		return true;
	name = strrchr(path, '/');
	name = name ? name + 1 : path;
	return bsearch(&name, s->busy_names, s->n_busy_names, sizeof(*s->busy_names),
		       compare_names) != NULL;
}

/* Opens the directory that the caller's path is relative to. */
static int open_base(
	const struct supervisor *s, const struct notif_call *c, int dir_fd, bool absolute)
{
	char link[64];

	if (absolute)
		snprintf(link, sizeof(link), "%d/root", (int)c->pid);
	else if (dir_fd == AT_FDCWD)
		snprintf(link, sizeof(link), "%d/cwd", (int)c->pid);
	else
		snprintf(link, sizeof(link), "%d/fd/%d", (int)c->pid, dir_fd);
	return openat(s->proc_fd, link, O_PATH | O_CLOEXEC);
}

/* Looks the path up in the cache only. The kernel returns EAGAIN for an entry that is not
 * cached, but also when a mount or a rename happens anywhere on the machine at that moment; so
 * the call is repeated a few times. */
static int look_up_cached(int base_fd, const char *path)
{
	const struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_CACHED };
	int fd = -1;

	for (int tries = 0; tries < LOOKUP_TRIES; tries++) {
		fd = (int)syscall(SYS_openat2, base_fd, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	return fd;
}

static bool is_mount_point(
	const struct supervisor *s, const struct notif_call *c, int dir_fd, uint64_t addr)
{
	auto_fd int base_fd = -1, fd = -1;
	const char *relative;
	char path[PATH_MAX];
	struct statx st;

	if (notif_read_string(c, addr, path, PATH_MAX) < 0 || !may_be_meant(s, path))
		return false;
	relative = path + strspn(path, "/");
	base_fd = open_base(s, c, dir_fd, path[0] == '/');
	if (base_fd < 0)
		return false;
	fd = look_up_cached(base_fd, *relative ? relative : ".");
	if (fd < 0)
		return false;
	return statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, 0, &st) == 0 &&
	       (st.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

void busy_on_call(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	const struct supervisor *s = ctx;
	bool busy;

	switch (c->nr) {
#ifdef SYS_rename
	case SYS_rmdir: busy = is_mount_point(s, c, AT_FDCWD, c->args[0]); break;
	case SYS_rename:
		busy = is_mount_point(s, c, AT_FDCWD, c->args[0]) ||
		       is_mount_point(s, c, AT_FDCWD, c->args[1]);
		break;
#endif
	case SYS_unlinkat: busy = is_mount_point(s, c, (int)c->args[0], c->args[1]); break;
	default: /* renameat, renameat2 */
		busy = is_mount_point(s, c, (int)c->args[0], c->args[1]) ||
		       is_mount_point(s, c, (int)c->args[2], c->args[3]);
		break;
	}
	if (busy)
		notif_deny(v, EBUSY);
	else
		notif_continue(v, NOTIF_NOT_FENCED);
}

void busy_know(struct supervisor *s, const struct tree *tree)
{
	if (!tree->mount_names)
		return;
	s->busy_names = arena_array(s->arena, tree->n_mount_names, sizeof(*s->busy_names));
	s->n_busy_names = tree->n_mount_names;
	for (size_t i = 0; i < tree->n_mount_names; i++)
		s->busy_names[i] = arena_strdup(s->arena, tree->mount_names[i]);
	qsort(s->busy_names, s->n_busy_names, sizeof(*s->busy_names), compare_names);
}
