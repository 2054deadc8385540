/* SPDX-License-Identifier: Apache-2.0
 *
 * Clones mounts (open_tree(2), mount_setattr(2)) and joins them (move_mount(2)). A mount has its
 * final attributes when it is joined: the kernel refuses to change mounts below a detached root.
 */
#include <fcntl.h>
#include <string.h>

#include "runtime/tree/internal.h"

int mount_clone(struct builder *b, int dir_fd, const char *path, bool recursive,
	struct mount_attr *attr, struct sl_err *err)
{
	unsigned int below = recursive ? AT_RECURSIVE : 0;
	unsigned int flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW | below |
			     (path[0] ? 0u : (unsigned int)AT_EMPTY_PATH);
	auto_fd int fd = -1;

	if (!b->no_open_tree_attr) {
		fd = (int)syscall(SYS_open_tree_attr, dir_fd, path, flags, attr, sizeof(*attr));
		if (fd >= 0)
			return take_fd(&fd);
		if (errno != ENOSYS)
			return sl_err_set(err, errno, "clone mount");
		b->no_open_tree_attr = true;
	}
	fd = open_tree(dir_fd, path, flags);
	if (fd < 0)
		return sl_err_set(err, errno, "clone mount");
	if (mount_setattr(fd, "", AT_EMPTY_PATH | below, attr, sizeof(*attr)) < 0)
		return sl_err_set(err, errno, "set mount attributes");
	return take_fd(&fd);
}

int mount_clone_one(
	struct builder *b, int dir_fd, const char *path, uint64_t set, struct sl_err *err)
{
	struct mount_attr attr = { .attr_set = set, .propagation = MS_PRIVATE };

	/* The host's /dev may be nodev, and a device with nodev cannot be opened. */
	if (!(set & MOUNT_ATTR_NODEV))
		attr.attr_clr = MOUNT_ATTR_NODEV;
	return mount_clone(b, dir_fd, path, false, &attr, err);
}

bool mount_same_fs(int fd, int other_fd)
{
	struct statfs st, other;

	return fstatfs(fd, &st) == 0 && fstatfs(other_fd, &other) == 0 &&
	       st.f_type == other.f_type &&
	       memcmp(&st.f_fsid, &other.f_fsid, sizeof(st.f_fsid)) == 0;
}

/* A mount below a shared mount would appear on the host as well, and stay there. */
static int check_private(const struct builder *b, const char *path, struct sl_err *err)
{
	for (size_t i = 0; i < b->n_joined; i++) {
		const struct joined *j = &b->joined[i];
		const size_t len = strlen(j->path);

		if (j->plan && j->plan->propagation == MS_SHARED &&
			strncmp(path, j->path, len) == 0 && (path[len] == '/' || path[len] == '\0'))
			return sl_err_set(err, 0, "%s lies in %s, which is shared with the host",
				path, j->path);
	}
	return 0;
}

int mount_join(struct builder *b, int mnt_fd, int to_fd, const char *to_name,
	const struct joined *book, struct sl_err *err)
{
	unsigned int flags = MOVE_MOUNT_F_EMPTY_PATH | (to_name[0] ? 0 : MOVE_MOUNT_T_EMPTY_PATH);

	if (check_private(b, book->path, err) < 0)
		return -1;
	if (move_mount(mnt_fd, "", to_fd, to_name, flags) < 0)
		return sl_err_set(err, errno, "join %s", book->path);
	return ids_book(b, book, mnt_fd, err);
}
