/* SPDX-License-Identifier: Apache-2.0 */
#include "shim/rootfs/rootfs.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/arena.h"

/* Options of fstab(5) that are flags of mount(2). All others are passed to the file system. */
static const struct {
	const char *name;
	unsigned long flag;
	bool clears;
} mount_words[] = {
	{ "async", MS_SYNCHRONOUS, true },
	{ "atime", MS_NOATIME, true },
	{ "bind", MS_BIND, false },
	{ "defaults", 0, false },
	{ "dev", MS_NODEV, true },
	{ "diratime", MS_NODIRATIME, true },
	{ "dirsync", MS_DIRSYNC, false },
	{ "exec", MS_NOEXEC, true },
	{ "loud", MS_SILENT, true },
	{ "mand", MS_MANDLOCK, false },
	{ "noatime", MS_NOATIME, false },
	{ "nodev", MS_NODEV, false },
	{ "nodiratime", MS_NODIRATIME, false },
	{ "noexec", MS_NOEXEC, false },
	{ "nomand", MS_MANDLOCK, true },
	{ "norelatime", MS_RELATIME, true },
	{ "nostrictatime", MS_STRICTATIME, true },
	{ "nosuid", MS_NOSUID, false },
	{ "rbind", MS_BIND | MS_REC, false },
	{ "relatime", MS_RELATIME, false },
	{ "ro", MS_RDONLY, false },
	{ "rw", MS_RDONLY, true },
	{ "strictatime", MS_STRICTATIME, false },
	{ "suid", MS_NOSUID, true },
	{ "sync", MS_SYNCHRONOUS, false },
};

#define LOWERDIR "lowerdir="

/* Flags that a bind can have of its own, for mount_setattr(2). */
static const struct {
	unsigned long flag;
	uint64_t attribute;
} bind_attributes[] = {
	{ MS_RDONLY, MOUNT_ATTR_RDONLY },
	{ MS_NOSUID, MOUNT_ATTR_NOSUID },
	{ MS_NODEV, MOUNT_ATTR_NODEV },
	{ MS_NOEXEC, MOUNT_ATTR_NOEXEC },
	{ MS_NOATIME, MOUNT_ATTR_NOATIME },
	{ MS_NODIRATIME, MOUNT_ATTR_NODIRATIME },
};

static bool take_word(const char *word, unsigned long *flags)
{
	for (size_t i = 0; i < sizeof(mount_words) / sizeof(mount_words[0]); i++) {
		if (strcmp(word, mount_words[i].name) != 0)
			continue;
		if (mount_words[i].clears)
			*flags &= ~mount_words[i].flag;
		else
			*flags |= mount_words[i].flag;
		return true;
	}
	return false;
}

static char *rootfs_read_options(struct arena *a, const Common__Mount *m, unsigned long *ret_flags)
{
	size_t size = 1, n = 0;
	char *data;

	for (size_t i = 0; i < m->n_options; i++)
		size += strlen(m->options[i]) + 1;
	data = arena_alloc(a, size);
	for (size_t i = 0; i < m->n_options; i++) {
		const size_t len = strlen(m->options[i]);

		if (take_word(m->options[i], ret_flags))
			continue;
		if (n > 0)
			data[n++] = ',';
		memcpy(data + n, m->options[i], len);
		n += len;
	}
	return data;
}

static uint64_t attributes_of(unsigned long flags)
{
	uint64_t attr = 0;

	for (size_t i = 0; i < sizeof(bind_attributes) / sizeof(bind_attributes[0]); i++)
		if (flags & bind_attributes[i].flag)
			attr |= bind_attributes[i].attribute;
	return attr;
}

static int mount_bind(const Common__Mount *m, int place_fd, unsigned long flags, struct sl_err *err)
{
	const unsigned int deep = flags & MS_REC ? AT_RECURSIVE : 0;
	struct mount_attr attr = { .attr_set = attributes_of(flags) };
	auto_fd int tree_fd =
		open_tree(AT_FDCWD, m->source, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | deep);

	if (tree_fd < 0)
		return sl_err_set(err, errno, "rootfs: bind %s", m->source);
	if (attr.attr_set & MOUNT_ATTR_NOATIME)
		attr.attr_clr = MOUNT_ATTR__ATIME;
	if (attr.attr_set && mount_setattr(tree_fd, "", AT_EMPTY_PATH, &attr, sizeof(attr)) < 0)
		return sl_err_set(err, errno, "rootfs: flags of the bind of %s", m->source);
	if (move_mount(tree_fd, "", place_fd, "",
		    MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
		return sl_err_set(err, errno, "rootfs: attach the bind of %s", m->source);
	return 0;
}

/* The length of the directory that all paths of the list share, with the slash at its end. */
static size_t common_directory(const char *list)
{
	size_t common = strcspn(list, ":");

	for (const char *next = list; next; next = strchr(next, ':')) {
		size_t n = 0;

		next += *next == ':';
		while (n < common && next[n] == list[n])
			n++;
		while (n > 0 && list[n - 1] != '/')
			n--;
		common = n;
	}
	return common;
}

/* Changes to the directory that all layers share and makes their names relative to it, because
 * mount(2) takes at most a page of options, and the absolute paths of many layers are longer. */
static const char *shorten(struct arena *a, const char *data, struct sl_err *err)
{
	const char *key = strstr(data, LOWERDIR), *list = key ? key + strlen(LOWERDIR) : NULL;
	const size_t n = key && (key == data || key[-1] == ',') ? strcspn(list, ",") : 0;
	const char *layers = arena_strndup(a, list ? list : "", n);
	const size_t common = common_directory(layers);
	char *out, *to;

	if (n == 0 || layers[0] != '/' || common == 0)
		return data;
	if (chdir(arena_strndup(a, layers, common)) < 0) {
		sl_err_set(err, errno, "rootfs: chdir to the directory of the layers");
		return NULL;
	}
	out = to = arena_strdup(a, data);
	to += list - data;
	for (const char *layer = layers; layer; layer = strchr(layer, ':')) {
		if (*layer == ':')
			*to++ = *layer++;
		layer += common;
		to = mempcpy(to, layer, strcspn(layer, ":"));
	}
	strcpy(to, list + n);
	return out;
}

static int mount_long(const char *target, const Common__Mount *m, unsigned long flags,
	const char *data, struct sl_err *err)
{
	auto_arena struct arena *a = arena_new();
	auto_fd int back_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *shorter = strcmp(m->type, "overlay") == 0 ? shorten(a, data, err) : data;
	int rc = -1;

	if (!shorter)
		return -1;
	if (back_fd < 0)
		return sl_err_set(err, errno, "rootfs: open the working directory");
	if (strlen(shorter) >= (size_t)sysconf(_SC_PAGESIZE))
		sl_err_set(err, 0, "rootfs: the options of %s are %zu bytes, a page is the most",
			m->type, strlen(shorter));
	else if (mount(m->source, target, m->type, flags, shorter) < 0)
		sl_err_set(err, errno, "rootfs: mount %s of type %s", m->source, m->type);
	else
		rc = 0;
	if (fchdir(back_fd) < 0 && rc == 0)
		return sl_err_set(err, errno, "rootfs: back to the working directory");
	return rc;
}

/* Opens the place of a mount below the root. A symlink of an image leads nowhere outside. */
static int rootfs_open_place(const char *root, const char *target, struct sl_err *err)
{
	const struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	auto_fd int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd;

	if (root_fd < 0)
		return sl_err_set(err, errno, "rootfs: open %s", root);
	fd = (int)syscall(SYS_openat2, root_fd, *target ? target : "/", &how, sizeof(how));
	return fd < 0 ? sl_err_set(err, errno, "rootfs: target %s", target) : fd;
}

static int rootfs_mount_one(const char *root, const Common__Mount *m, struct sl_err *err)
{
	auto_arena struct arena *a = arena_new();
	auto_fd int place_fd = rootfs_open_place(root, m->target, err);
	const char *place = arena_printf(a, "/proc/self/fd/%d", place_fd);
	unsigned long flags = 0;
	const char *data = rootfs_read_options(a, m, &flags);

	if (place_fd < 0)
		return -1;
	if (flags & MS_BIND)
		return mount_bind(m, place_fd, flags, err);
	if (strlen(data) >= (size_t)sysconf(_SC_PAGESIZE))
		return mount_long(place, m, flags, data, err);
	if (mount(m->source, place, m->type, flags, data) < 0)
		return sl_err_set(err, errno, "rootfs: mount %s of type %s", m->source, m->type);
	return 0;
}

static bool is_root(const char *target)
{
	return strspn(target, "/") == strlen(target);
}

static int mount_all(const char *root, Common__Mount *const *mounts, size_t n, struct sl_err *err)
{
	/* rootfs_unmount() finds what is mounted at the root, with everything below it. */
	if (n > 0 && !is_root(mounts[0]->target))
		return sl_err_set(err, 0, "rootfs: target %s: the first mount has to be the root's",
			mounts[0]->target);
	for (size_t i = 0; i < n; i++)
		if (rootfs_mount_one(root, mounts[i], err) < 0)
			return -1;
	return 0;
}

int rootfs_mount(const char *bundle, Common__Mount *const *mounts, size_t n, struct sl_err *err)
{
	auto_arena struct arena *a = arena_new();
	const char *root = arena_printf(a, "%s/" ROOTFS_DIR, bundle);
	struct sl_err ignored;

	if (n > ROOTFS_MOUNTS_MAX)
		return sl_err_set(
			err, 0, "rootfs: %zu mounts, %d are the most", n, ROOTFS_MOUNTS_MAX);
	if (n > 0 && mkdir(root, 0711) < 0 && errno != EEXIST)
		return sl_err_set(err, errno, "rootfs: mkdir %s", root);
	if (mount_all(root, mounts, n, err) == 0)
		return 0;
	rootfs_unmount(bundle, &ignored);
	return -1;
}

int rootfs_unmount(const char *bundle, struct sl_err *err)
{
	auto_arena struct arena *a = arena_new();
	const char *root = arena_printf(a, "%s/" ROOTFS_DIR, bundle);

	/* Unmounts the uppermost mount first, with everything below it. EINVAL: nothing is mounted
	 * there. */
	for (int i = 0; i <= ROOTFS_MOUNTS_MAX; i++)
		if (umount2(root, MNT_DETACH | UMOUNT_NOFOLLOW) < 0)
			return errno == EINVAL || errno == ENOENT
				       ? 0
				       : sl_err_set(err, errno, "rootfs: unmount %s", root);
	return sl_err_set(err, 0, "rootfs: %s has more mounts than were made", root);
}
