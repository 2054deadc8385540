/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the files once for all containers that are shown the same: to write 30 small files at each
 * start would cost half a millisecond. The name of a directory is derived from its content, so
 * another version of the runtime, or a node with another address, uses another directory. A
 * directory gets its name when it is complete, and nobody changes it afterwards. It is in /run, so
 * it disappears at the next boot.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "runtime/base/cleanup.h"
#include "runtime/view/internal.h"

#define TEMPLATES "/run/sandlock-oci-net"
/* the directory that is being filled; after an interruption the next process continues with it */
#define UNNAMED "new"
/* Limits the space in /run on a node whose address changes often. When the limit is reached, each
 * container gets its own files. */
#define TEMPLATES_MAX 16

/* Opens the directory "a/b", and creates the missing parts. */
static int open_made(int dir_fd, const char *path, struct sl_err *err)
{
	char part[64];

	for (const char *p = path; *p; p += *p == '/') {
		p += strcspn(p, "/");
		snprintf(part, sizeof(part), "%.*s", (int)(p - path), path);
		if (mkdirat(dir_fd, part, 0755) < 0 && errno != EEXIST)
			return sl_err_set(err, errno, "make %s", part);
	}
	dir_fd = openat(dir_fd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return dir_fd < 0 ? sl_err_set(err, errno, "open %s", path) : dir_fd;
}

static int write_all(int top_fd, const struct view_eth *eth, const struct view_places *p,
	const char *name, struct sl_err *err)
{
	auto_fd int new_fd = open_made(top_fd, UNNAMED, err), proc_fd = -1, class_fd = -1;
	auto_fd int files_fd = -1, empty_fd = -1;

	if (new_fd < 0)
		return -1;
	files_fd = open_made(new_fd, p->files, err);
	empty_fd = open_made(new_fd, p->empty, err);
	if (files_fd < 0 || empty_fd < 0)
		return -1;
	proc_fd = open_made(files_fd, p->proc, err);
	if (proc_fd < 0 || files_write_proc(eth, proc_fd, err) < 0)
		return -1;
	class_fd = open_made(files_fd, p->class, err);
	if (class_fd < 0 || files_write_class(eth, class_fd, err) < 0)
		return -1;
	if (renameat(top_fd, UNNAMED, top_fd, name) < 0)
		return sl_err_set(err, errno, "name %s", name);
	return 0;
}

static bool is_full(int top_fd)
{
	int fd = openat(top_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	size_t n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	/* The count includes "." and "..". If the entries cannot be counted, the directory counts
	 * as full. */
	return !d || n >= TEMPLATES_MAX + 2;
}

static bool template_is_there(int top_fd, const char *name)
{
	struct stat st;

	return fstatat(top_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Whether another user has created the directory. The root user of a user namespace finds those of
 * the host's root, but must not use files of others. */
static bool is_of_another(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && st.st_uid != geteuid();
}

/* *ret: whether the directory exists now. */
static int make_eth(const struct view_eth *eth, const struct view_places *p, const char *name,
	bool *ret, struct sl_err *err)
{
	auto_fd int top_fd = -1;

	if (mkdir(TEMPLATES, 0755) == 0 || errno == EEXIST)
		top_fd = open(TEMPLATES, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (top_fd < 0 || flock(top_fd, LOCK_EX) < 0)
		return sl_err_set(err, errno, "open");
	*ret = template_is_there(top_fd, name) || !is_full(top_fd);
	if (!*ret || template_is_there(top_fd, name))
		return 0;
	return write_all(top_fd, eth, p, name, err);
}

static int make_readable(const struct view_eth *eth, const struct view_places *p, const char *name,
	bool *ret, struct sl_err *err)
{
	const mode_t old = umask(022);
	int r = make_eth(eth, p, name, ret, err);

	umask(old);
	if (r == 0)
		return 0;
	/* The runtime runs in a user namespace, or /run is read-only. */
	*ret = false;
	if (err->code == EACCES || err->code == EROFS || err->code == EPERM || err->code == ENOENT)
		return 0;
	return sl_err_wrap(err, "interfaces: " TEMPLATES);
}

int view_template(struct arena *a, const struct view *v, const struct view_places *p,
	const char **ret, struct sl_err *err)
{
	const struct view_eth *eth = &v->eth;
	char v4[2 * sizeof(eth->v4) + 1] = "", v6[2 * sizeof(eth->v6) + 1] = "";
	bool there = true;
	const char *name, *path;

	*ret = NULL;
	if (v->own_files)
		return 0;
	if (eth->has_v4)
		files_hex(v4, eth->v4, sizeof(eth->v4));
	if (eth->has_v6)
		files_hex(v6, eth->v6, sizeof(eth->v6));
	name = arena_printf(a, VIEW_FILES_KEY "-%s-%s", v4, v6);
	path = arena_printf(a, TEMPLATES "/%s", name);
	if (!template_is_there(AT_FDCWD, path) && make_readable(eth, p, name, &there, err) < 0)
		return -1;
	if (there && !is_of_another(path))
		*ret = path;
	return 0;
}
