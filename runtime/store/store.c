/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/store/store.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/base/proc.h"

#define ID_MAX 1024

/* Returns true for all users but root, and for root of a user namespace who is not logged in as
 * root: they cannot use /run (runc's rule). */
static bool is_rootless(void)
{
	const char *user = getenv("USER");

	return geteuid() != 0 || (proc_in_user_namespace() && (!user || strcmp(user, "root") != 0));
}

const char *store_default_root(struct arena *a)
{
	const char *runtime_dir = getenv("XDG_RUNTIME_DIR");

	if (runtime_dir && *runtime_dir && is_rootless())
		return arena_printf(a, "%s/sandlock-oci", runtime_dir);
	return "/run/sandlock-oci";
}

int store_check_id(const char *id, struct sl_err *err)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-.";

	if (!*id || strlen(id) > ID_MAX || id[strspn(id, allowed)] || strcmp(id, ".") == 0 ||
		strcmp(id, "..") == 0)
		return sl_err_set(err, 0, "invalid container ID format: \"%.64s\"", id);
	return 0;
}

/* Makes the root with its parents; the root itself is for its owner only. */
static int make_root(const char *root)
{
	auto_free char *path = strdup(root);

	if (!path)
		return -1;
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			return -1;
		*p = '/';
	}
	return mkdir(path, 0700) < 0 && errno != EEXIST ? -1 : 0;
}

int store_open_root(const char *root, bool create, int *ret_root_fd, struct sl_err *err)
{
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT && create) {
		if (make_root(root) < 0)
			return sl_err_set(err, errno, "make the state root %s", root);
		fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	if (fd < 0)
		return sl_err_set(err, errno, "open the state root %s", root);
	*ret_root_fd = fd;
	return 0;
}

int store_open(int root_fd, const char *id, int *ret_dir_fd, struct sl_err *err)
{
	int fd;

	if (store_check_id(id, err) < 0)
		return -1;
	fd = openat(root_fd, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		sl_err_set(err, 0, "container does not exist");
		err->code = ENOENT;
		return -1;
	}
	if (fd < 0)
		return sl_err_set(err, errno, "open the state of %s", id);
	*ret_dir_fd = fd;
	return 0;
}

/* Another command may have removed the directory while this one waited for its lock, and may
 * even have made it again. Then the lock is worthless. */
static bool still_named(int root_fd, const char *id, int dir_fd)
{
	struct stat a, b;

	return fstat(dir_fd, &a) == 0 && fstatat(root_fd, id, &b, AT_SYMLINK_NOFOLLOW) == 0 &&
	       a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

int store_lock(int fd, int timeout_ms)
{
	const struct timespec nap = { .tv_nsec = 1000000L };

	for (int waited = 0;; waited++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -1;
		if (waited >= timeout_ms) {
			errno = ETIMEDOUT;
			return -1;
		}
		nanosleep(&nap, NULL);
	}
}

int store_open_locked(
	int root_fd, const char *id, int timeout_ms, int *ret_dir_fd, struct sl_err *err)
{
	for (;;) {
		auto_fd int fd = -1;

		if (store_open(root_fd, id, &fd, err) < 0)
			return -1;
		if (store_lock(fd, timeout_ms) < 0)
			return sl_err_set(err, errno, "lock the state of %s", id);
		if (still_named(root_fd, id, fd)) {
			*ret_dir_fd = take_fd(&fd);
			return 0;
		}
	}
}

int store_reserve(int root_fd, const char *id, int *ret_dir_fd, struct sl_err *err)
{
	if (store_check_id(id, err) < 0)
		return -1;
	if (mkdirat(root_fd, id, 0700) < 0) {
		if (errno == EEXIST)
			return sl_err_set(err, 0, "container with given ID already exists");
		return sl_err_set(err, errno, "make the state of %s", id);
	}
	if (store_open_locked(root_fd, id, 1000, ret_dir_fd, err) < 0) {
		struct sl_err ignored;

		store_remove(root_fd, id, &ignored);
		return -1;
	}
	return 0;
}

/* A supervisor whose `create` was killed may still write files there. It ends when it cannot
 * write one because the directory is gone. */
#define REMOVE_TRIES 20

static int remove_entries(int dir_fd, const char *id, struct sl_err *err)
{
	auto_fd int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	int rc = 0;

	if (!d)
		return sl_err_set(err, errno, "read the state of %s", id);
	take_fd(&fd);
	while (rc == 0 && (errno = 0, e = readdir(d))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (unlinkat(dir_fd, e->d_name, 0) < 0 &&
			(errno != EISDIR || unlinkat(dir_fd, e->d_name, AT_REMOVEDIR) < 0) &&
			errno != ENOENT)
			rc = sl_err_set(err, errno, "remove %s/%s", id, e->d_name);
	}
	if (rc == 0 && errno != 0)
		rc = sl_err_set(err, errno, "read the state of %s", id);
	closedir(d);
	return rc;
}

int store_remove(int root_fd, const char *id, struct sl_err *err)
{
	auto_fd int dir_fd = -1;

	if (store_open(root_fd, id, &dir_fd, err) < 0)
		return err->code == ENOENT ? 0 : -1;
	if (unlinkat(dir_fd, STORE_NOTIFY "/" STORE_NOTIFY_SOCKET, 0) < 0 && errno != ENOENT)
		return sl_err_set(err, errno, "remove the notify socket of %s", id);
	for (int tries = 0; tries < REMOVE_TRIES; tries++) {
		if (remove_entries(dir_fd, id, err) < 0)
			return -1;
		if (unlinkat(root_fd, id, AT_REMOVEDIR) == 0 || errno == ENOENT)
			return 0;
		if (errno != ENOTEMPTY)
			break;
	}
	return sl_err_set(err, errno, "remove the state of %s", id);
}

static int compare_ids(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct id_list {
	char **ids;
	size_t n, room;
};

/* The list always has room for a NULL at its end. */
static int add_id(struct arena *a, struct id_list *l, const char *id)
{
	if (l->n == l->room) {
		const size_t room = l->room ? l->room * 2 : 64;
		char **bigger = arena_array(a, room + 1, sizeof(*bigger));

		if (!bigger)
			return -1;
		if (l->n)
			memcpy(bigger, l->ids, l->n * sizeof(*bigger));
		l->ids = bigger;
		l->room = room;
	}
	if (!id)
		return 0;
	l->ids[l->n] = arena_strdup(a, id);
	return l->ids[l->n] ? (int)++l->n : -1;
}

int store_list(struct arena *a, int root_fd, char ***ret_ids, struct sl_err *err)
{
	auto_fd int fd = openat(root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct id_list list = { 0 };
	struct dirent *e;
	int rc = 0;

	if (!d)
		return sl_err_set(err, errno, "read the state root");
	take_fd(&fd);
	while (rc >= 0 && (errno = 0, e = readdir(d))) {
		if (e->d_name[0] == '.' && (!e->d_name[1] || e->d_name[1] == '.'))
			continue;
		if (e->d_type == DT_DIR || e->d_type == DT_UNKNOWN)
			rc = add_id(a, &list, e->d_name);
	}
	if (errno != 0 || add_id(a, &list, NULL) < 0) {
		sl_err_set(err, errno, "read the state root");
		closedir(d);
		return -1;
	}
	closedir(d);
	qsort(list.ids, list.n, sizeof(*list.ids), compare_ids);
	*ret_ids = list.ids;
	return 0;
}
