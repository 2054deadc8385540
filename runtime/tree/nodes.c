/* SPDX-License-Identifier: Apache-2.0
 *
 * A bind mount of a directory of the host's /dev ("-v /dev/dri:/dev/dri" with a rule for its
 * devices). The mount is nodev. Each node in it that the bundle grants is covered by its own bind
 * mount. Nodes that appear later cannot be opened. Only the file system of /dev is searched:
 * volumes can be large, and a node in a volume is nobody's device.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "runtime/plan/devices.h"
#include "runtime/tree/internal.h"

#define DEPTH_MAX 16 /* levels: each needs two descriptors and a stack frame */
/* more than a machine has (some hundreds); each becomes a mount in every create */
#define NODES_MAX 4096

static int nodes_level(
	struct builder *b, int dir_fd, const char *path, int depth, size_t *n, struct sl_err *err);

static bool is_of_dev(int fd)
{
	struct stat st, dev;
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC) &&
	       fstat(fd, &st) == 0 && stat("/dev", &dev) == 0 && st.st_dev == dev.st_dev;
}

/* Opens a directory for reading. Does not enter other mounts. Returns a descriptor, or -1 with
 * errno. */
static int open_level(int dir_fd, const char *name)
{
	struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_NO_XDEV,
	};

	return (int)syscall(SYS_openat2, dir_fd, name, &how, sizeof(how));
}

static int open_node(struct builder *b, int node_fd, const struct stat *st, const char *path,
	const char *name, size_t *n, struct sl_err *err)
{
	struct joined book = { .path = arena_printf(b->a, "%s/%s", path, name) };
	auto_fd int place_fd = -1, fd = -1;
	struct sl_err half;

	/* If only a part of the access is granted, the node stays closed: the bundle has not named
	 * it. */
	if (plan_device_granted(b->fs->resources, S_ISBLK(st->st_mode) ? 'b' : 'c',
		    major(st->st_rdev), minor(st->st_rdev), &half) <= 0)
		return 0;
	if (++*n > NODES_MAX)
		return sl_err_set(err, 0, "more than %d device nodes are granted", NODES_MAX);
	place_fd = place_open(b->root_fd, path, O_DIRECTORY);
	if (place_fd < 0)
		return sl_err_set(err, errno, "%s", path);
	fd = mount_clone_one(b, node_fd, "", DEVICE_ATTRS, err);
	if (fd < 0)
		return -1;
	return mount_join(b, fd, place_fd, name, &book, err);
}

/* Binds the same node that was checked, even if its name is reused meanwhile. */
static int one_entry(struct builder *b, int dir_fd, const char *path, const char *name, int depth,
	size_t *n, struct sl_err *err)
{
	auto_fd int fd = openat(dir_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	auto_fd int below_fd = -1;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return errno == ENOENT ? 0 : sl_err_set(err, errno, "stat %s/%s", path, name);
	if (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode))
		return open_node(b, fd, &st, path, name, n, err);
	if (!S_ISDIR(st.st_mode) || depth == DEPTH_MAX)
		return 0;
	below_fd = open_level(dir_fd, name);
	if (below_fd < 0)
		return errno == EXDEV || errno == ENOENT
			       ? 0
			       : sl_err_set(err, errno, "open %s/%s", path, name);
	return nodes_level(b, below_fd, arena_printf(b->a, "%s/%s", path, name), depth + 1, n, err);
}

static int nodes_level(
	struct builder *b, int dir_fd, const char *path, int depth, size_t *n, struct sl_err *err)
{
	auto_fd int list_fd = open_level(dir_fd, ".");
	const struct dirent *e;
	DIR *dir;
	int r = 0;

	if (list_fd < 0)
		return sl_err_set(err, errno, "read %s", path);
	dir = fdopendir(list_fd);
	if (!dir)
		return sl_err_set(err, errno, "read %s", path);
	take_fd(&list_fd); /* the stream owns it */
	while (r == 0 && (errno = 0, e = readdir(dir)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			r = one_entry(b, dir_fd, path, e->d_name, depth, n, err);
	if (r == 0 && errno != 0)
		r = sl_err_set(err, errno, "read %s", path);
	closedir(dir);
	return r;
}

int nodes_open(struct builder *b, int source_fd, const char *path, struct sl_err *err)
{
	size_t n = 0;

	return is_of_dev(source_fd) ? nodes_level(b, source_fd, path, 0, &n, err) : 0;
}
