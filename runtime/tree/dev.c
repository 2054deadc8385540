/* SPDX-License-Identifier: Apache-2.0
 *
 * The nodes of /dev. They are bind mounts, because every other mount is nodev, and Landlock lets
 * nobody create a node. Each is bound read-only, nosuid and noexec: reads, writes and ioctls still
 * work, but chmod(2) cannot change the inode. The runtime binds a node of the container's own, from
 * its tmpfs. Where it may not create nodes, it binds the host's node if type, major and minor are
 * correct.
 *
 * When the bundle binds a directory over /dev, nothing is created in it, because it may be the
 * host's /dev: nodes are bound where their mount point exists, and the others cannot be opened
 * because of nodev.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "runtime/base/io.h"
#include "runtime/plan/devices.h"
#include "runtime/tree/internal.h"

static mode_t device_type(const struct spec_device *d)
{
	return d->type == 'b' ? S_IFBLK : S_IFCHR;
}

static bool is_device(const struct spec_device *d, const struct statx *st)
{
	return (st->stx_mode & S_IFMT) == device_type(d) && st->stx_rdev_major == d->major &&
	       st->stx_rdev_minor == d->minor;
}

/* Clones the mount of the host's path if it is the requested device. Returns -1 with err->code
 * ENODEV when it is another device or missing. */
static int clone_device(struct builder *b, const char *path, const struct spec_device *d,
	uint64_t attrs, uint64_t *ret_id, struct sl_err *err)
{
	auto_fd int fd = mount_clone_one(b, AT_FDCWD, path, attrs, err);
	struct statx st;

	if (fd < 0) {
		if (err->code == ENOENT || err->code == ENOTDIR || err->code == ENXIO)
			err->code = ENODEV;
		return -1;
	}
	if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_MNT_ID | STATX_MNT_ID_UNIQUE, &st) < 0)
		return sl_err_set(err, errno, "stat");
	if (!is_device(d, &st))
		return sl_err_set(err, ENODEV, "%s is another device", path);
	*ret_id = st.stx_mask & (STATX_MNT_ID | STATX_MNT_ID_UNIQUE) ? st.stx_mnt_id : 0;
	return take_fd(&fd);
}

/* sysfs(5): /sys/dev/char/M:m/uevent names the node as DEVNAME, relative to /dev. */
static int node_by_number(const struct spec_device *d, char *ret, size_t size)
{
	char path[64], text[4096];
	char *name;

	snprintf(path, sizeof(path), "/sys/dev/%s/%lld:%lld/uevent",
		d->type == 'b' ? "block" : "char", (long long)d->major, (long long)d->minor);
	if (io_slurp(AT_FDCWD, path, text, sizeof(text)) < 0)
		return -1;
	name = strstr(text, "DEVNAME=");
	if (!name || (name != text && name[-1] != '\n'))
		return -1;
	name += strlen("DEVNAME=");
	name[strcspn(name, "\n")] = '\0';
	return (size_t)snprintf(ret, size, "/dev/%s", name) < size ? 0 : -1;
}

static int find_node(struct builder *b, const struct spec_device *d, uint64_t attrs,
	uint64_t *ret_id, struct sl_err *err)
{
	char path[PATH_MAX];
	int fd = clone_device(b, d->path, d, attrs, ret_id, err);

	if (fd >= 0 || err->code != ENODEV)
		return fd;
	if (node_by_number(d, path, sizeof(path)) == 0)
		fd = clone_device(b, path, d, attrs, ret_id, err);
	if (fd < 0 && err->code == ENODEV)
		return sl_err_set(err, ENODEV, "the host has no node %c %lld:%lld", d->type,
			(long long)d->major, (long long)d->minor);
	return fd;
}

/* Creates a node of the container's own, because locks, leases and watches on the host's node would
 * affect all its users. In a user namespace nobody can create nodes, so the host's node is used. */
static int find_device(
	struct builder *b, const struct spec_device *d, uint64_t *ret_id, struct sl_err *err)
{
	const char *name = arena_printf(b->a, "device-%zu", (size_t)(d - b->fs->devices));
	int granted = plan_device_granted(b->fs->resources, d->type, d->major, d->minor, err);
	uint64_t attrs = DEVICE_ATTRS;
	int fd;

	if (granted < 0)
		return -1;
	/* The node exists, as the bundle says, but cannot be opened. */
	if (!granted)
		attrs |= MOUNT_ATTR_NODEV;
	fd = synth_node(b, name, d, attrs, err);
	if (fd >= 0 || err->code != EPERM)
		return fd;
	return find_node(b, d, attrs, ret_id, err);
}

/* The place of a device: the directory's descriptor and path, and the name in it. */
struct dev_place {
	int dir_fd;
	const char *dir;
	const char *name;
	bool create;
};

static int join_device(struct builder *b, const struct spec_device *d,
	const struct dev_place *place, struct sl_err *err)
{
	struct joined book = { .path = arena_printf(b->a, "%s/%s", place->dir, place->name) };
	auto_fd int fd = -1;

	if (place->create && mknodat(place->dir_fd, place->name, S_IFREG | 0644, 0) < 0 &&
		errno != EEXIST)
		return sl_err_set(err, errno, "create");
	if (!place->create && faccessat(place->dir_fd, place->name, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	fd = find_device(b, d, &book.id, err);
	if (fd < 0)
		return -1;
	return mount_join(b, fd, place->dir_fd, place->name, &book, err);
}

/* A named pipe is not a device: it is created with the mode that the bundle gives. */
static int make_fifo(const struct spec_device *d, const struct dev_place *place, struct sl_err *err)
{
	if (!place->create)
		return 0;
	if (mknodat(place->dir_fd, place->name, S_IFIFO | (d->has_mode ? d->mode & 07777 : 0666),
		    0) < 0)
		return errno == EEXIST ? 0 : sl_err_set(err, errno, "create");
	if (fchownat(place->dir_fd, place->name, d->uid, d->gid, AT_SYMLINK_NOFOLLOW) < 0)
		return sl_err_set(err, errno, "owner");
	return 0;
}

static int one_device(struct builder *b, const struct spec_device *d, const struct place *dev,
	bool create, struct sl_err *err)
{
	const char *slash = strrchr(d->path, '/');
	struct place other = { .fd = -1 };
	auto_fd int other_fd = -1;
	struct dev_place place = {
		.dir_fd = dev->fd, .dir = dev->path, .name = slash + 1, .create = create
	};

	if (slash - d->path != 4 || strncmp(d->path, "/dev", 4) != 0) {
		const char *parent =
			slash == d->path ? "/"
					 : arena_strndup(b->a, d->path, (size_t)(slash - d->path));

		/* Nothing is created below a bound /dev, not even a directory. */
		if (!create && strncmp(d->path, "/dev/", 5) == 0) {
			other.fd = place_open(b->root_fd, parent, O_DIRECTORY);
			if (other.fd < 0)
				return errno == ENOENT ? 0 : sl_err_set(err, errno, "%s", parent);
			other.path = parent;
		} else if (place_make(b->a, b->root_fd, parent, true, &other, err) < 0) {
			return -1;
		}
		other_fd = other.fd;
		place.dir_fd = other.fd;
		place.dir = strcmp(other.path, "/") == 0 ? "" : other.path;
		place.create = create || strncmp(d->path, "/dev/", 5) != 0;
	}
	return d->type == 'p' ? make_fifo(d, &place, err) : join_device(b, d, &place, err);
}

static int one_symlink(int dir_fd, const char *name, const char *target, struct sl_err *err)
{
	if (symlinkat(target, dir_fd, name) < 0 && errno != EEXIST)
		return sl_err_set(err, errno, "symlink /dev/%s", name);
	return 0;
}

static int symlinks_populate(int dir_fd, struct sl_err *err)
{
	if (one_symlink(dir_fd, "fd", "/proc/self/fd", err) < 0 ||
		one_symlink(dir_fd, "stdin", "/proc/self/fd/0", err) < 0 ||
		one_symlink(dir_fd, "stdout", "/proc/self/fd/1", err) < 0 ||
		one_symlink(dir_fd, "stderr", "/proc/self/fd/2", err) < 0)
		return -1;
	if (access("/proc/kcore", F_OK) == 0 && one_symlink(dir_fd, "core", "/proc/kcore", err) < 0)
		return -1;
	/* A ptmx of the image must not stay: it would open ptys of the host. */
	if (symlinkat("pts/ptmx", dir_fd, "ptmx") == 0)
		return 0;
	if (errno != EEXIST || (unlinkat(dir_fd, "ptmx", 0) < 0 && errno != ENOENT))
		return sl_err_set(err, errno, "replace /dev/ptmx");
	return one_symlink(dir_fd, "ptmx", "pts/ptmx", err);
}

static bool dev_is_bound(const struct plan_fs *fs)
{
	for (size_t i = 0; i < fs->n_mounts; i++)
		if (fs->mounts[i].kind == PLAN_MOUNT_BIND &&
			strcmp(fs->mounts[i].destination, "/dev") == 0)
			return true;
	return false;
}

int dev_populate(struct builder *b, struct sl_err *err)
{
	bool create = !dev_is_bound(b->fs);
	struct place dev;
	auto_fd int dev_fd = -1;

	if (place_make(b->a, b->root_fd, "/dev", true, &dev, err) < 0)
		return -1;
	dev_fd = dev.fd;
	for (size_t i = 0; i < b->fs->n_devices; i++) {
		const struct spec_device *d = &b->fs->devices[i];

		if (strcmp(d->path, "/dev/ptmx") == 0)
			continue; /* the symlink to the tree's own devpts */
		if (one_device(b, d, &dev, create, err) < 0)
			return sl_err_wrap(err, "device %s", d->path);
	}
	return create ? symlinks_populate(dev_fd, err) : 0;
}
