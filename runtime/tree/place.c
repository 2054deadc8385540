/* SPDX-License-Identifier: Apache-2.0
 *
 * Mount points. A path of the bundle is resolved by openat2(2) with RESOLVE_IN_ROOT, so a symlink
 * of the image stays inside the image, even if it is exchanged during the resolution. Missing parts
 * are created below descriptors that were opened in the same way (CVE-2021-30465).
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>

#include "runtime/tree/internal.h"

#define LINKS_MAX 40 /* as in path_resolution(7) */
#define RETRY_MAX 64 /* openat2(2): EAGAIN when a rename or mount raced with ".." */

static int open_how(int dir_fd, const char *path, int flags, uint64_t resolve)
{
	struct open_how how = {
		.flags = (uint64_t)(unsigned int)(O_PATH | O_CLOEXEC | flags),
		.resolve = resolve,
	};
	int fd = -1;

	for (int i = 0; i < RETRY_MAX; i++) {
		fd = (int)syscall(SYS_openat2, dir_fd, path, &how, sizeof(how));
		if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
			break;
	}
	return fd;
}

int place_open(int root_fd, const char *path, int flags)
{
	return open_how(root_fd, path, flags, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
}

static int fd_path(int fd, char *buf, size_t size)
{
	char link[32];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, buf, size - 1);
	if (len < 0)
		return -1;
	buf[len] = '\0';
	return 0;
}

static int place_path(struct arena *a, int root_fd, int fd, const char **ret, struct sl_err *err)
{
	char root[PATH_MAX], path[PATH_MAX];
	size_t skip;

	if (fd_path(root_fd, root, sizeof(root)) < 0 || fd_path(fd, path, sizeof(path)) < 0)
		return sl_err_set(err, errno, "path inside the root");
	/* The root of a detached tree has the path "/"; a staged root is a directory of the
	 * stage. */
	skip = strcmp(root, "/") == 0 ? 0 : strlen(root);
	if (strncmp(path, root, skip) != 0 || (path[skip] != '/' && path[skip] != '\0'))
		return sl_err_set(err, 0, "path inside the root: %s is not below %s", path, root);
	*ret = path[skip] ? arena_strdup(a, path + skip) : "/";
	return 0;
}

/* The state while missing parts are created: `done` is resolved and exists, `rest` is not resolved
 * yet. */
struct place_walk {
	int root_fd;
	int fd; /* a descriptor of `done` */
	char done[PATH_MAX];
	char rest[PATH_MAX];
	int links;
	bool created;
};

/* Takes the next component off the rest; an empty name is the end. Returns false with an error when
 * the component is too long. */
static bool walk_next(struct place_walk *w, char name[NAME_MAX + 1], struct sl_err *err)
{
	const char *p = w->rest + strspn(w->rest, "/");
	size_t n = strcspn(p, "/");

	name[0] = '\0';
	if (n == 0)
		return true;
	if (n > NAME_MAX) {
		sl_err_fill(err, ENAMETOOLONG, "component of a mount point");
		return false;
	}
	memcpy(name, p, n);
	name[n] = '\0';
	memmove(w->rest, p + n, strlen(p + n) + 1);
	return true;
}

static bool walk_is_last(const struct place_walk *w)
{
	return w->rest[strspn(w->rest, "/")] == '\0';
}

/* The component is a symlink to something that does not exist yet: continue with its target, inside
 * the root. */
static int walk_link(struct place_walk *w, const char *target, struct sl_err *err)
{
	char joined[PATH_MAX];
	int n = snprintf(joined, sizeof(joined), "%s/%s", target, w->rest);

	if (++w->links > LINKS_MAX)
		return sl_err_set(err, ELOOP, "%s", w->done);
	if (n < 0 || (size_t)n >= sizeof(joined))
		return sl_err_set(err, ENAMETOOLONG, "%s", target);
	memcpy(w->rest, joined, (size_t)n + 1);
	if (target[0] != '/')
		return 0;
	drop_fd(&w->fd);
	w->done[0] = '\0';
	w->fd = place_open(w->root_fd, ".", O_DIRECTORY);
	return w->fd < 0 ? sl_err_set(err, errno, "root") : 0;
}

static int walk_create(struct place_walk *w, const char *name, bool directory, struct sl_err *err)
{
	int r = directory || !walk_is_last(w) ? mkdirat(w->fd, name, 0755)
					      : mknodat(w->fd, name, S_IFREG | 0755, 0);
	int fd;

	if (r < 0 && errno != EEXIST)
		return sl_err_set(err, errno, "create %s/%s", w->done, name);
	fd = open_how(w->fd, name, O_NOFOLLOW, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	if (fd < 0)
		return sl_err_set(err, errno, "open %s/%s", w->done, name);
	drop_fd(&w->fd);
	w->fd = fd;
	w->created = true;
	return 0;
}

static int walk_step(struct place_walk *w, const char *name, bool directory, struct sl_err *err)
{
	char target[PATH_MAX];
	size_t len = strlen(w->done);
	ssize_t n;
	int fd;

	if (strcmp(name, ".") == 0)
		return 0;
	if (len + strlen(name) + 2 > sizeof(w->done))
		return sl_err_set(err, ENAMETOOLONG, "%s/%s", w->done, name);
	sprintf(w->done + len, "/%s", name);
	fd = place_open(w->root_fd, w->done, 0);
	if (fd >= 0) {
		drop_fd(&w->fd);
		w->fd = fd;
		return 0;
	}
	if (errno != ENOENT)
		return sl_err_set(err, errno, "open %s", w->done);
	n = readlinkat(w->fd, name, target, sizeof(target) - 1);
	if (n < 0 && errno != ENOENT)
		return sl_err_set(err, errno, "readlink %s", w->done);
	if (n >= 0) {
		target[n] = '\0';
		w->done[len] = '\0';
		return walk_link(w, target, err);
	}
	w->done[len] = '\0';
	if (walk_create(w, name, directory, err) < 0)
		return -1;
	sprintf(w->done + len, "/%s", name);
	return 0;
}

static int walk_run(struct place_walk *w, const char *path, bool directory, struct sl_err *err)
{
	char name[NAME_MAX + 1];

	if (strlen(path) >= sizeof(w->rest))
		return sl_err_set(err, ENAMETOOLONG, "%.64s…", path);
	strcpy(w->rest, path);
	w->fd = place_open(w->root_fd, ".", O_DIRECTORY);
	if (w->fd < 0)
		return sl_err_set(err, errno, "root");
	for (;;) {
		if (!walk_next(w, name, err))
			return -1;
		if (name[0] == '\0')
			return 0;
		if (walk_step(w, name, directory, err) < 0)
			return -1;
	}
}

/* In most cases there is no symlink, and then the path is already canonical. */
static int resolve_place(int root_fd, const char *path, int flags, bool *ret_canonical)
{
	int fd = open_how(root_fd, path, flags, RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS);

	*ret_canonical = fd >= 0;
	if (fd < 0 && errno == ELOOP)
		fd = place_open(root_fd, path, flags);
	return fd;
}

int place_find(
	struct arena *a, int root_fd, const char *path, struct place *ret, struct sl_err *err)
{
	struct place out = { .path = path };
	bool canonical;
	auto_fd int fd = resolve_place(root_fd, path, 0, &canonical);

	if (fd < 0)
		return sl_err_set(err, errno, "open %s", path);
	if (!canonical && place_path(a, root_fd, fd, &out.path, err) < 0)
		return -1;
	out.fd = take_fd(&fd);
	*ret = out;
	return 0;
}

/* In most cases only the last component is missing and there is no symlink, so the path stays
 * canonical. Otherwise returns -1 with ENOENT. */
static int make_last(int root_fd, const char *path, bool directory)
{
	const char *slash = strrchr(path, '/');
	auto_fd int parent_fd = -1;
	char parent[PATH_MAX];
	size_t len;

	errno = ENOENT;
	if (!slash || slash[1] == '\0' || slash[1] == '.' ||
		(len = (size_t)(slash - path)) >= PATH_MAX)
		return -1;
	memcpy(parent, path, len);
	strcpy(parent + len, len ? "" : "/");
	parent_fd = open_how(root_fd, parent, O_DIRECTORY, RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS);
	if (parent_fd < 0 || (directory ? mkdirat(parent_fd, slash + 1, 0755)
					: mknodat(parent_fd, slash + 1, S_IFREG | 0755, 0)) < 0) {
		errno = ENOENT;
		return -1;
	}
	return open_how(parent_fd, slash + 1, O_NOFOLLOW, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
}

static int make_missing(int root_fd, const char *what, const char *path, bool directory,
	bool *ret_created, struct sl_err *err)
{
	struct place_walk w = { .root_fd = root_fd, .fd = -1 };

	if (walk_run(&w, path, directory, err) < 0) {
		drop_fd(&w.fd);
		return sl_err_wrap(err, "%s %s", what, path);
	}
	*ret_created = w.created;
	return w.fd;
}

/* The kernel reports a file that is joined at a directory as EINVAL, like many other errors. EISDIR
 * is clearer. */
static int check_no_directory(int fd)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &st) < 0)
		return -1;
	errno = EISDIR;
	return S_ISDIR(st.stx_mode) ? -1 : 0;
}

/* what: its name in an error message */
static int make_place(struct arena *a, int root_fd, const char *what, const char *path,
	bool directory, struct place *ret, struct sl_err *err)
{
	struct place out = { .path = path };
	bool canonical;
	auto_fd int fd = resolve_place(root_fd, path, directory ? O_DIRECTORY : 0, &canonical);

	if (fd < 0 && errno == ENOENT) {
		fd = make_last(root_fd, path, directory);
		out.created = canonical = fd >= 0;
	}
	if (fd < 0 && errno == ENOENT) {
		fd = make_missing(root_fd, what, path, directory, &out.created, err);
		if (fd < 0)
			return -1;
	}
	if (fd < 0 || (!directory && !out.created && check_no_directory(fd) < 0))
		return sl_err_set(err, errno, "%s %s", what, path);
	if (!canonical && place_path(a, root_fd, fd, &out.path, err) < 0)
		return -1;
	out.fd = take_fd(&fd);
	*ret = out;
	return 0;
}

int place_make(struct arena *a, int root_fd, const char *path, bool directory, struct place *ret,
	struct sl_err *err)
{
	return make_place(a, root_fd, "mount point", path, directory, ret, err);
}

int cwd_make(struct builder *b, struct sl_err *err)
{
	struct place place;

	if (!b->fs->cwd)
		return 0;
	if (make_place(b->a, b->root_fd, "cwd", b->fs->cwd, true, &place, err) < 0)
		return -1;
	close(place.fd);
	return 0;
}
