/* SPDX-License-Identifier: Apache-2.0
 *
 * tmpcopyup: copies the image's directory into the new tmpfs that will cover it. The copy uses
 * descriptors and single path components only, and follows no symlinks, so that nothing in the
 * image can lead it elsewhere. It does not enter other mounts. It keeps owner, mode, times,
 * extended attributes, symlinks, sockets, pipes and device nodes, but not hard links.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/xattr.h>

#include "runtime/tree/internal.h"

#define DEPTH_MAX      64    /* levels: each needs two descriptors and a stack frame */
#define XATTR_LIST_MAX 65536 /* the kernel's limit for the list and for a value (listxattr(2)) */

static int copy_level(int from_fd, int to_fd, int depth, struct sl_err *err);

static int copy_xattrs(int from_fd, int to_fd, const char *name, struct sl_err *err)
{
	auto_free char *list = NULL;
	auto_free char *value = NULL;
	ssize_t len = flistxattr(from_fd, NULL, 0);

	if (len == 0 || (len < 0 && errno == EOPNOTSUPP))
		return 0;
	list = malloc(XATTR_LIST_MAX);
	value = malloc(XATTR_LIST_MAX);
	if (!list || !value)
		return sl_err_set(err, ENOMEM, "copy up %s", name);
	len = flistxattr(from_fd, list, XATTR_LIST_MAX);
	if (len < 0)
		return sl_err_set(err, errno, "copy up %s: extended attributes", name);
	for (const char *p = list; p < list + len; p += strlen(p) + 1) {
		ssize_t n = fgetxattr(from_fd, p, value, XATTR_LIST_MAX);

		if (n < 0 && errno == ENODATA)
			continue;
		/* A tmpfs before Linux 6.6 has no user attributes. */
		if (n < 0 || (fsetxattr(to_fd, p, value, (size_t)n, 0) < 0 && errno != EOPNOTSUPP))
			return sl_err_set(err, errno, "copy up %s: attribute %s", name, p);
	}
	return 0;
}

static int copy_times(int dir_fd, const char *name, const struct stat *st, struct sl_err *err)
{
	const struct timespec times[2] = { st->st_atim, st->st_mtim };

	if (utimensat(dir_fd, name, times, AT_SYMLINK_NOFOLLOW) < 0)
		return sl_err_set(err, errno, "copy up %s: times", name);
	return 0;
}

/* The owner is set first, because a change of owner clears set-id bits and security.capability. */
static int copy_meta(
	int from_fd, int to_fd, const char *name, const struct stat *st, struct sl_err *err)
{
	if (fchown(to_fd, st->st_uid, st->st_gid) < 0 || fchmod(to_fd, st->st_mode & 07777) < 0)
		return sl_err_set(err, errno, "copy up %s: owner and mode", name);
	return copy_xattrs(from_fd, to_fd, name, err);
}

static int copy_regular(
	int from_dir, int to_dir, const char *name, const struct stat *st, struct sl_err *err)
{
	auto_fd int from_fd =
		openat(from_dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	auto_fd int to_fd = -1;
	ssize_t n;

	if (from_fd < 0)
		return sl_err_set(err, errno, "copy up %s", name);
	to_fd = openat(to_dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to_fd < 0)
		return sl_err_set(err, errno, "copy up %s", name);
	do
		n = sendfile(to_fd, from_fd, NULL, 0x7ffff000);
	while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0)
		return sl_err_set(err, errno, "copy up %s", name);
	return copy_meta(from_fd, to_fd, name, st, err);
}

static int copy_symlink(
	int from_dir, int to_dir, const char *name, const struct stat *st, struct sl_err *err)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(from_dir, name, target, sizeof(target) - 1);

	if (n < 0)
		return sl_err_set(err, errno, "copy up %s", name);
	target[n] = '\0';
	if (symlinkat(target, to_dir, name) < 0 ||
		fchownat(to_dir, name, st->st_uid, st->st_gid, AT_SYMLINK_NOFOLLOW) < 0)
		return sl_err_set(err, errno, "copy up %s", name);
	return 0;
}

static int copy_special(int to_dir, const char *name, const struct stat *st, struct sl_err *err)
{
	if (mknodat(to_dir, name, st->st_mode, st->st_rdev) < 0 ||
		fchownat(to_dir, name, st->st_uid, st->st_gid, AT_SYMLINK_NOFOLLOW) < 0)
		return sl_err_set(err, errno, "copy up %s", name);
	return 0;
}

static int copy_subdirectory(int from_dir, int to_dir, const char *name, const struct stat *st,
	int depth, struct sl_err *err)
{
	struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH,
	};
	auto_fd int from_fd = (int)syscall(SYS_openat2, from_dir, name, &how, sizeof(how));
	auto_fd int to_fd = -1;

	if (from_fd < 0 && errno != EXDEV)
		return sl_err_set(err, errno, "copy up %s", name);
	if (mkdirat(to_dir, name, 0700) < 0)
		return sl_err_set(err, errno, "copy up %s", name);
	to_fd = openat(to_dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (to_fd < 0)
		return sl_err_set(err, errno, "copy up %s", name);
	if (from_fd < 0) /* another mount: only its mount point is created */
		return 0;
	if (copy_level(from_fd, to_fd, depth + 1, err) < 0)
		return sl_err_wrap(err, "%s", name);
	return copy_meta(from_fd, to_fd, name, st, err);
}

static int copy_entry(int from_fd, int to_fd, const char *name, int depth, struct sl_err *err)
{
	struct stat st;
	int r;

	if (fstatat(from_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return sl_err_set(err, errno, "copy up %s", name);
	if (S_ISDIR(st.st_mode))
		r = copy_subdirectory(from_fd, to_fd, name, &st, depth, err);
	else if (S_ISREG(st.st_mode))
		r = copy_regular(from_fd, to_fd, name, &st, err);
	else if (S_ISLNK(st.st_mode))
		r = copy_symlink(from_fd, to_fd, name, &st, err);
	else
		r = copy_special(to_fd, name, &st, err);
	return r < 0 ? -1 : copy_times(to_fd, name, &st, err);
}

static int copy_level(int from_fd, int to_fd, int depth, struct sl_err *err)
{
	auto_fd int list_fd = openat(from_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *e;
	int r = 0;
	DIR *dir;

	if (depth > DEPTH_MAX)
		return sl_err_set(err, ELOOP, "copy up: more than %d levels", DEPTH_MAX);
	if (list_fd < 0)
		return sl_err_set(err, errno, "copy up");
	dir = fdopendir(list_fd);
	if (!dir)
		return sl_err_set(err, errno, "copy up");
	take_fd(&list_fd); /* the stream owns it */
	while (r == 0 && (errno = 0, e = readdir(dir)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			r = copy_entry(from_fd, to_fd, e->d_name, depth, err);
	if (r == 0 && errno != 0)
		r = sl_err_set(err, errno, "copy up: list");
	closedir(dir);
	return r;
}

int copyup_directory(int from_fd, int to_fd, struct sl_err *err)
{
	auto_fd int from = openat(from_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_fd int to = openat(to_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (from < 0 || to < 0)
		return sl_err_set(err, errno, "copy up");
	return copy_level(from, to, 0, err);
}
