/* SPDX-License-Identifier: Apache-2.0 */
#include "shim/rootfs/rootfs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

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

#define BIND_REMOUNT                                                                               \
	(MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_NOATIME | MS_NODIRATIME | MS_RELATIME)

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

static int mount_bind(
	const Common__Mount *m, const char *target, unsigned long flags, struct sl_err *err)
{
	if (mount(m->source, target, NULL, flags & (MS_BIND | MS_REC), NULL) < 0)
		return sl_err_set(err, errno, "rootfs: bind %s", m->source);
	if (!(flags & BIND_REMOUNT))
		return 0;
	if (mount(NULL, target, NULL, MS_REMOUNT | MS_BIND | (flags & BIND_REMOUNT), NULL) < 0) {
		sl_err_set(err, errno, "rootfs: flags of the bind of %s", m->source);
		umount2(target, MNT_DETACH | UMOUNT_NOFOLLOW);
		return -1;
	}
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

static int rootfs_mount_one(const char *target, const Common__Mount *m, struct sl_err *err)
{
	auto_arena struct arena *a = arena_new();
	unsigned long flags = 0;
	const char *data = rootfs_read_options(a, m, &flags);

	if (flags & MS_BIND)
		return mount_bind(m, target, flags, err);
	if (strlen(data) >= (size_t)sysconf(_SC_PAGESIZE))
		return mount_long(target, m, flags, data, err);
	if (mount(m->source, target, m->type, flags, data) < 0)
		return sl_err_set(err, errno, "rootfs: mount %s of type %s", m->source, m->type);
	return 0;
}

static int place(struct arena *a, const char *bundle, const Common__Mount *m, const char **ret,
	struct sl_err *err)
{
	const char *root = arena_printf(a, "%s/" ROOTFS_DIR, bundle);

	if (mkdir(root, 0711) < 0 && errno != EEXIST)
		return sl_err_set(err, errno, "rootfs: mkdir %s", root);
	if (*m->target && strcmp(m->target, "/") != 0)
		return sl_err_set(err, 0, "rootfs: a mount at %s, below the root, is not made here",
			m->target);
	*ret = root;
	return 0;
}

int rootfs_mount(const char *bundle, Common__Mount *const *mounts, size_t n, struct sl_err *err)
{
	auto_arena struct arena *a = arena_new();
	struct sl_err ignored;
	const char *target;

	if (n > ROOTFS_MOUNTS_MAX)
		return sl_err_set(
			err, 0, "rootfs: %zu mounts, %d are the most", n, ROOTFS_MOUNTS_MAX);
	for (size_t i = 0; i < n; i++) {
		if (place(a, bundle, mounts[i], &target, err) < 0 ||
			rootfs_mount_one(target, mounts[i], err) < 0) {
			rootfs_unmount(bundle, &ignored);
			return -1;
		}
	}
	return 0;
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
