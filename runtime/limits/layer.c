/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/limits/layer.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "runtime/base/arena.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/base/mountinfo.h"

#define BLOCK         512 /* unit of st_blocks */
#define MOUNTINFO_MAX ((size_t)64 << 20)

/* In place: overlayfs keeps an option as it was given, with "\\," for a comma. */
static void undo_escapes(char *path)
{
	char *out = path;

	for (const char *s = path; *s; s++) {
		if (*s == '\\' && s[1])
			s++;
		*out++ = *s;
	}
	*out = '\0';
}

/* The upper directory of an overlay; *ret_path NULL: it has none, so it cannot be written. */
static int find_upper(struct arena *a, uint64_t mount_id, const char **ret_path, struct sl_err *err)
{
	char *text, *line, *path;
	size_t len;

	if (io_read_file(a, AT_FDCWD, "/proc/self/mountinfo", MOUNTINFO_MAX, &text, &len, err) < 0)
		return -1;
	line = mountinfo_find(text, mount_id);
	if (!line)
		return sl_err_set(err, 0, "the mount of the root is not in /proc/self/mountinfo");
	path = mountinfo_option(line, "upperdir");
	if (path)
		undo_escapes(path);
	if (path && path[0] != '/')
		return sl_err_set(err, 0,
			"the overlay names its upper directory by a relative path (\"%s\")", path);
	*ret_path = path;
	return 0;
}

static int note_device(int fd, struct layer *l, int which, struct sl_err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return sl_err_set(err, errno, "look at the root");
	l->devices[which] = st.st_dev;
	return 0;
}

/* Returns whether the descriptor is the root of an overlay, and the id of that mount. */
static bool is_overlay(int fd, uint64_t *ret_id)
{
	struct statfs fs;
	struct statx st;

	if (fstatfs(fd, &fs) < 0 || fs.f_type != OVERLAYFS_SUPER_MAGIC ||
		statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &st) < 0 ||
		!(st.stx_mask & STATX_MNT_ID) || !(st.stx_attributes & STATX_ATTR_MOUNT_ROOT))
		return false;
	*ret_id = st.stx_mnt_id;
	return true;
}

int layer_open(struct layer *l, const char *root, struct sl_err *err)
{
	auto_fd int root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), upper_fd = -1;
	auto_arena struct arena *a = arena_new();
	const char *upper = NULL;
	uint64_t mount_id;

	*l = (struct layer){ .fd = -1 };
	if (root_fd < 0)
		return sl_err_set(err, errno, "open %s", root);
	if (note_device(root_fd, l, 0, err) < 0)
		return -1;
	l->devices[1] = l->devices[0];
	if (!is_overlay(root_fd, &mount_id)) {
		l->fd = take_fd(&root_fd);
		return 0;
	}
	if (find_upper(a, mount_id, &upper, err) < 0)
		return -1;
	if (!upper)
		return 0;
	upper_fd = open(upper, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (upper_fd < 0)
		return sl_err_set(err, errno, "open the upper directory %s", upper);
	if (note_device(upper_fd, l, 1, err) < 0)
		return -1;
	l->fd = take_fd(&upper_fd);
	return 0;
}

/* The directories that are open, from the layer's down. */
struct layer_walk {
	DIR *open[LAYER_DEPTH_MAX];
	size_t depth;
	uint64_t bytes;
};

/* Other mounts below a directory are not entered. ENOENT and ENOTDIR: it has just gone. */
static int walk_enter(struct layer_walk *w, int at_fd, const char *name)
{
	const struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS,
	};
	auto_fd int fd = (int)syscall(SYS_openat2, at_fd, name, &how, sizeof(how));
	DIR *d;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == EXDEV ? 0 : -1;
	if (w->depth == LAYER_DEPTH_MAX) {
		w->bytes = UINT64_MAX;
		return 0;
	}
	d = fdopendir(fd);
	if (!d)
		return -1;
	take_fd(&fd);
	w->open[w->depth++] = d;
	return 0;
}

static void walk_leave(struct layer_walk *w)
{
	closedir(w->open[--w->depth]);
}

static int count_entry(struct layer_walk *w, const struct dirent *e)
{
	const int at_fd = dirfd(w->open[w->depth - 1]);
	struct stat st;

	if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
		return 0;
	if (fstatat(at_fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) < 0)
		return errno == ENOENT ? 0 : -1;
	if (S_ISDIR(st.st_mode)) {
		w->bytes += (uint64_t)st.st_blocks * BLOCK;
		return walk_enter(w, at_fd, e->d_name);
	}
	/* Each name of a file counts a part of it. */
	w->bytes += (uint64_t)st.st_blocks * BLOCK / (st.st_nlink ? st.st_nlink : 1);
	return 0;
}

int layer_measure(const struct layer *l, uint64_t *ret)
{
	struct layer_walk w = { 0 };
	int rc = l->fd < 0 ? 0 : walk_enter(&w, l->fd, ".");

	while (rc == 0 && w.depth > 0 && w.bytes != UINT64_MAX) {
		const struct dirent *e;

		errno = 0;
		e = readdir(w.open[w.depth - 1]);
		if (e)
			rc = count_entry(&w, e);
		else if (errno != 0)
			rc = -1;
		else
			walk_leave(&w);
	}
	while (w.depth > 0)
		walk_leave(&w);
	if (rc == 0)
		*ret = w.bytes;
	return rc;
}

uint64_t layer_file_system(const struct layer *l)
{
	struct statfs fs;

	if (l->fd < 0 || fstatfs(l->fd, &fs) < 0)
		return 0;
	return (uint64_t)(fs.f_blocks - fs.f_bfree) * (uint64_t)fs.f_bsize;
}
