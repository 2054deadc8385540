/* SPDX-License-Identifier: Apache-2.0
 *
 * linux.maskedPaths and linux.readonlyPaths (config-linux.md), and the masks over the runtime's own
 * processes, which no procfs of the tree may show.
 *
 * A path that does not exist is skipped, because bundles rely on that. Symlinks are followed inside
 * the root, so the mask covers what the container would reach.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "runtime/tree/internal.h"

#define MASK_ATTRS (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)
#define NULL_ATTRS (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC)

static bool lies_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (strcmp(dir, "/") == 0)
		return path[1] != '\0';
	return strncmp(path, dir, n) == 0 && path[n] == '/';
}

/* A recursive clone contains copies of everything that was joined below. They are recorded too. */
static int book_copies(struct builder *b, const char *dir, size_t n_before, struct sl_err *err)
{
	for (size_t i = 0; i < n_before; i++) {
		struct joined book = { .path = b->joined[i].path };
		auto_fd int fd = -1;

		if (!lies_below(book.path, dir))
			continue;
		fd = place_open(b->root_fd, book.path, 0);
		if (fd < 0)
			return sl_err_set(err, errno, "%s", book.path);
		if (ids_book(b, &book, fd, err) < 0)
			return -1;
	}
	return 0;
}

/* A directory that can be opened but not examined is that of process 1 (pid1.c). */
static bool is_hidden(int fd)
{
	struct stat st;

	return fstat(fd, &st) < 0 && errno == ENOENT;
}

static int readonly_path(struct builder *b, const char *path, struct sl_err *err)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY, .propagation = MS_PRIVATE };
	auto_fd int fd = -1, mnt_fd = -1;
	size_t n_before = b->n_joined;
	struct joined book = { 0 };
	bool recursive = false;
	struct place place;

	if (place_find(b->a, b->root_fd, path, &place, err) < 0)
		return err->code == ENOENT || err->code == ENOTDIR ? 0 : -1;
	fd = place.fd;
	if (is_hidden(fd))
		return sl_err_set(err, 0, "process 1 cannot be read-only by itself");
	book.path = place.path;
	for (size_t i = 0; i < n_before && !recursive; i++)
		recursive = lies_below(b->joined[i].path, book.path);
	mnt_fd = mount_clone(b, fd, "", recursive, &attr, err);
	if (mnt_fd < 0 || mount_join(b, mnt_fd, fd, "", &book, err) < 0)
		return -1;
	return recursive ? book_copies(b, book.path, n_before, err) : 0;
}

/* A file system that is read-only as a whole is now covered by a clone. Later steps must mount on
 * the clone, so its descriptor replaces the old one. */
static void look_again(struct builder *b, struct fd_list *list, const char *const *paths)
{
	for (size_t i = 0; i < list->n; i++) {
		auto_fd int fd = place_open(b->root_fd, paths[i], O_DIRECTORY);

		if (fd < 0 || !mount_same_fs(fd, list->items[i]))
			continue; /* covered by another mount */
		close(list->items[i]);
		list->items[i] = take_fd(&fd);
	}
}

int mask_readonly_paths(struct builder *b, struct sl_err *err)
{
	for (size_t i = 0; i < b->fs->n_readonly_paths; i++)
		if (readonly_path(b, b->fs->readonly_paths[i], err) < 0)
			return sl_err_wrap(err, "readonlyPaths %s", b->fs->readonly_paths[i]);
	look_again(b, &b->proc, b->proc_paths);
	look_again(b, &b->sys, b->sys_paths);
	return 0;
}

/* Opens the host's null device, for the case that the runtime may not create nodes. It must be the
 * null device: a mask made of anything else would bind a file that somebody has put there
 * (CVE-2025-31133). */
static int null_of_host(struct builder *b, struct sl_err *err)
{
	auto_fd int fd = -1;
	struct statx st;

	fd = open("/dev/null", O_PATH | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &st) < 0)
		return sl_err_set(err, errno, "/dev/null of the host");
	if (!S_ISCHR(st.stx_mode) || st.stx_rdev_major != 1 || st.stx_rdev_minor != 3)
		return sl_err_set(err, 0, "/dev/null of the host is not the null device");
	b->null_fd = take_fd(&fd);
	return 0;
}

/* Makes a mount of a null device of the container's own. */
static int null_mount(struct builder *b, struct sl_err *err)
{
	const struct spec_device null = { .type = 'c', .major = 1, .minor = 3 };

	if (b->null_fd < 0) {
		int fd = synth_node(b, "null", &null, NULL_ATTRS, err);

		if (fd >= 0 || err->code != EPERM)
			return fd;
		if (null_of_host(b, err) < 0)
			return -1;
	}
	return mount_clone_one(b, b->null_fd, "", NULL_ATTRS, err);
}

static int mask_at(struct builder *b, int fd, const char *path, bool directory, struct sl_err *err)
{
	struct joined book = { .path = path };
	auto_fd int mnt_fd = -1;

	mnt_fd =
		directory ? synth_directory(b, "empty", 0555, MASK_ATTRS, err) : null_mount(b, err);
	if (mnt_fd < 0)
		return -1;
	return mount_join(b, mnt_fd, fd, "", &book, err);
}

static int mask_path(struct builder *b, const char *path, struct sl_err *err)
{
	auto_fd int fd = -1;
	struct place place;
	struct statx st;

	if (place_find(b->a, b->root_fd, path, &place, err) < 0)
		return err->code == ENOENT || err->code == ENOTDIR ? 0 : -1;
	fd = place.fd;
	if (is_hidden(fd))
		return mask_at(b, fd, place.path, true, err);
	if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &st) < 0)
		return sl_err_set(err, errno, "stat");
	return mask_at(b, fd, place.path, S_ISDIR(st.stx_mode), err);
}

int mask_paths(struct builder *b, struct sl_err *err)
{
	for (size_t i = 0; i < b->fs->n_masked_paths; i++)
		if (mask_path(b, b->fs->masked_paths[i], err) < 0)
			return sl_err_wrap(err, "maskedPaths %s", b->fs->masked_paths[i]);
	return 0;
}

/* The container has no capabilities with which it could open a file of mode 0. */
static int deny_path(struct builder *b, const char *path, struct sl_err *err)
{
	struct joined book = { 0 };
	auto_fd int fd = -1, mnt_fd = -1;
	struct place place;
	struct statx st;

	if (place_find(b->a, b->root_fd, path, &place, err) < 0)
		return -1;
	fd = place.fd;
	book.path = place.path;
	if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &st) < 0)
		return sl_err_set(err, errno, "stat");
	mnt_fd = S_ISDIR(st.stx_mode) ? synth_directory(b, "denied", 0, MASK_ATTRS, err)
				      : synth_closed_file(b, "denied-file", err);
	return mnt_fd < 0 ? -1 : mount_join(b, mnt_fd, fd, "", &book, err);
}

int mask_denied(struct builder *b, struct sl_err *err)
{
	for (size_t i = 0; i < b->fs->n_denied_paths; i++)
		if (deny_path(b, b->fs->denied_paths[i], err) < 0)
			return sl_err_wrap(err, "deny %s", b->fs->denied_paths[i]);
	return 0;
}

/* Files of procfs that list objects and processes of the whole host. A new namespace would have
 * lists of its own; the files of the others are of no use in a container. System calls report on
 * the pod's IPC objects (runtime/ipc). */
static const struct {
	const char *name;
	bool directory;
	bool ipc; /* only if the IPC objects are private to the pod */
} host_lists[] = {
	{ "sysvipc", true, true },
	{ "locks", false, false },
	{ "timer_list", false, false },
	{ "sched_debug", false, false },
	{ "latency_stats", false, false },
};

static bool is_masked(const struct plan_fs *fs, const char *path)
{
	for (size_t i = 0; i < fs->n_masked_paths; i++)
		if (strcmp(fs->masked_paths[i], path) == 0)
			return true;
	return false;
}

static int cover_list(struct builder *b, const char *path, bool directory, struct sl_err *err)
{
	struct joined book = { 0 };
	auto_fd int fd = -1, mnt_fd = -1;
	struct place place;

	if (is_masked(b->fs, path))
		return 0;
	if (place_find(b->a, b->root_fd, path, &place, err) < 0)
		return err->code == ENOENT || err->code == ENOTDIR ? 0 : -1;
	fd = place.fd;
	book.path = place.path;
	mnt_fd = directory ? synth_directory(b, "empty", 0555, MASK_ATTRS, err)
			   : synth_file(b, "empty-list", "", 0, err);
	return mnt_fd < 0 ? -1 : mount_join(b, mnt_fd, fd, "", &book, err);
}

int mask_host_lists(struct builder *b, struct sl_err *err)
{
	const size_t n = sizeof(host_lists) / sizeof(host_lists[0]);

	for (size_t i = 0; i < b->fs->n_mounts; i++) {
		const struct plan_mount *m = &b->fs->mounts[i];

		for (size_t k = 0; m->kind == PLAN_MOUNT_PROC && k < n; k++) {
			const char *path =
				arena_printf(b->a, "%s/%s", m->destination, host_lists[k].name);

			if (host_lists[k].ipc && !b->fs->own_ipc)
				continue;
			if (cover_list(b, path, host_lists[k].directory, err) < 0)
				return sl_err_wrap(err, "cover %s", path);
		}
	}
	return 0;
}

static int mask_process(struct builder *b, size_t proc, pid_t id, struct sl_err *err)
{
	struct joined book = { 0 };
	auto_fd int fd = -1, mnt_fd = -1;
	char name[16];

	snprintf(name, sizeof(name), "%d", id);
	fd = openat(b->proc.items[proc], name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return sl_err_set(err, errno, "open");
	book.path = arena_printf(b->a, "%s/%s", b->proc_paths[proc], name);
	mnt_fd = b->fs->net_view ? view_shade(b, err)
				 : synth_directory(b, "empty", 0555, MASK_ATTRS, err);
	return mnt_fd < 0 ? -1 : mount_join(b, mnt_fd, fd, "", &book, err);
}

int mask_processes(struct builder *b, struct sl_err *err)
{
	if (!b->ctx)
		return 0;
	if (b->ctx->await_hidden && b->stage_fd < 0 && b->ctx->await_hidden(b->ctx->arg, err) < 0)
		return -1;
	for (size_t i = 0; i < b->proc.n; i++)
		for (size_t k = 0; k < b->ctx->n_hidden_ids; k++)
			if (mask_process(b, i, b->ctx->hidden_ids[k], err) < 0)
				return sl_err_wrap(err, "hide process %d", b->ctx->hidden_ids[k]);
	return 0;
}
