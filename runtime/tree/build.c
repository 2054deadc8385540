/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds a tree with an ordered table of steps. The order is the one that users of runc see (mounts
 * as listed, then devices, then read-only and masked paths), with two rules that the kernel
 * requires: read-only comes last, when every mount point exists, and masks come after everything
 * that they cover.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/tree/internal.h"

/* Mount points and symlinks need no more. */
#define ROOT_SIZE "4m"

/* For /proc/mounts. */
static int mount_describe(int mnt_fd, struct joined *book, struct sl_err *err)
{
	struct statx st;

	if (fstatfs(mnt_fd, &book->st) < 0)
		return sl_err_set(err, errno, "statfs");
	if (statx(mnt_fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &st) < 0)
		return sl_err_set(err, errno, "statx");
	book->dev_major = st.stx_dev_major;
	book->dev_minor = st.stx_dev_minor;
	return 0;
}

/* Records the mounts that a bind has brought with it: a process can have its root on each of
 * them. */
static int book_submounts(
	struct builder *b, const char *path, const char *const *below, size_t n, struct sl_err *err)
{
	b->brings_mounts |= n > 0;
	for (size_t i = 0; i < n; i++) {
		struct joined book = {
			.path = arena_printf(
				b->a, "%s/%s", strcmp(path, "/") == 0 ? "" : path, below[i]),
		};
		auto_fd int fd = place_open(b->root_fd, book.path, 0);

		if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
			continue; /* hidden below another mount */
		if (fd < 0)
			return sl_err_set(err, errno, "%s", book.path);
		if (mount_describe(fd, &book, err) < 0 || ids_book(b, &book, fd, err) < 0)
			return -1;
	}
	return 0;
}

static int root_stage(struct builder *b, int root_fd, struct sl_err *err)
{
	if (b->stage_fd < 0)
		return 0;
	if (mkdirat(b->stage_fd, "root", 0700) < 0 ||
		move_mount(root_fd, "", b->stage_fd, "root", MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return sl_err_set(err, errno, "stage the root");
	return 0;
}

/* The links are made before anything is mounted, so that a mount point below one is found in its
 * target. */
static int root_link(struct builder *b, int root_fd, const struct plan_link *l, struct sl_err *err)
{
	const char *slash = strrchr(l->path, '/');
	const char *parent =
		slash == l->path ? "/" : arena_strndup(b->a, l->path, (size_t)(slash - l->path));
	auto_fd int dir_fd = -1;
	struct place place;

	if (place_make(b->a, root_fd, parent, true, &place, err) < 0)
		return -1;
	dir_fd = place.fd;
	if (symlinkat(l->target, dir_fd, slash + 1) < 0)
		return sl_err_set(err, errno, "symlink %s", l->path);
	return 0;
}

/* Only the mount points and links are in it. */
static int root_empty(struct builder *b, struct sl_err *err)
{
	auto_fd int fs_fd = fs_open("tmpfs", err), root_fd = -1;
	struct joined book = { .path = "/" };

	if (fs_fd < 0 || fs_set(fs_fd, "source", "sandlock", err) < 0 ||
		fs_set(fs_fd, "size", ROOT_SIZE, err) < 0 || fs_set(fs_fd, "mode", "755", err) < 0)
		return -1;
	root_fd = fs_mount(fs_fd, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, err);
	if (root_fd < 0 || root_stage(b, root_fd, err) < 0)
		return -1;
	for (size_t i = 0; i < b->fs->n_root_links; i++)
		if (root_link(b, root_fd, &b->fs->root_links[i], err) < 0)
			return -1;
	if (mount_describe(root_fd, &book, err) < 0 || ids_book(b, &book, root_fd, err) < 0)
		return -1;
	b->root_fd = take_fd(&root_fd);
	return 0;
}

static int root_make(struct builder *b, struct sl_err *err)
{
	const struct plan_mount root = {
		.kind = PLAN_MOUNT_BIND,
		.destination = "/",
		.source = b->fs->root_path,
		.recursive = true,
		.attr_rec_set = MOUNT_ATTR_NODEV,
		.propagation = b->fs->root_propagation,
	};
	struct joined book = { .path = "/" };
	auto_fd int source_fd = -1, root_fd = -1;
	const char *const *below;
	bool directory = false;
	size_t n;

	if (!b->fs->root_path)
		return root_empty(b, err) < 0 ? sl_err_wrap(err, "an empty root") : 0;
	source_fd = bind_open(&root, &directory, err);
	if (source_fd < 0)
		return sl_err_wrap(err, "root %s", root.source);
	if (!directory)
		return sl_err_set(err, ENOTDIR, "root %s", root.source);
	root_fd = bind_make(b, &root, source_fd, &below, &n, err);
	if (root_fd < 0 || root_stage(b, root_fd, err) < 0 ||
		mount_describe(root_fd, &book, err) < 0 || ids_book(b, &book, root_fd, err) < 0)
		return sl_err_wrap(err, "root %s", root.source);
	b->root_fd = take_fd(&root_fd);
	return book_submounts(b, "/", below, n, err);
}

static void mount_keep_at(
	struct builder *b, struct fd_list *list, const char ***paths, const char *path, int *mnt_fd)
{
	size_t cap = list->cap;

	*paths = builder_grow(b, *paths, list->n, &cap, sizeof(char *));
	(*paths)[list->n] = path;
	fd_list_add(b, list, take_fd(mnt_fd));
}

/* Keeps the descriptors of mounts that a later step needs. */
static void mount_keep(struct builder *b, const struct plan_mount *m, const char *path, int *mnt_fd)
{
	if (m->kind == PLAN_MOUNT_PROC) {
		mount_keep_at(b, &b->proc, &b->proc_paths, path, mnt_fd);
	} else if (m->kind == PLAN_MOUNT_SYSFS && b->fs->net_view) {
		mount_keep_at(b, &b->sys, &b->sys_paths, path, mnt_fd);
	} else if (m->kind == PLAN_MOUNT_TMPFS && (m->attr_set & MOUNT_ATTR_RDONLY)) {
		fd_list_add(b, &b->sealed, take_fd(mnt_fd));
	}
}

/* If the image has a symlink as the mount point, the procfs would be mounted elsewhere, and the
 * masked paths in it would be elsewhere too. */
static int check_ordinary(struct builder *b, const struct plan_mount *m, struct sl_err *err)
{
	auto_fd int fd = -1;
	struct stat st;

	if (m->kind != PLAN_MOUNT_PROC && m->kind != PLAN_MOUNT_SYSFS)
		return 0;
	fd = place_open(b->root_fd, m->destination, O_NOFOLLOW);
	if (fd >= 0 && fstat(fd, &st) == 0 && !S_ISDIR(st.st_mode))
		return sl_err_set(err, 0, "filesystem \"%s\" must be mounted on ordinary directory",
			m->kind == PLAN_MOUNT_PROC ? "proc" : "sysfs");
	return 0;
}

static int mount_one(struct builder *b, const struct plan_mount *m, struct sl_err *err)
{
	auto_fd int source_fd = -1, place_fd = -1, mnt_fd = -1;
	const char *const *below = NULL;
	struct joined book = { .plan = m };
	bool directory = true;
	struct place place;
	size_t n = 0;

	if (m->kind == PLAN_MOUNT_BIND) {
		source_fd = bind_open(m, &directory, err);
		if (source_fd < 0)
			return -1;
	}
	if (check_ordinary(b, m, err) < 0 ||
		place_make(b->a, b->root_fd, m->destination, directory, &place, err) < 0)
		return -1;
	place_fd = place.fd;
	book.path = place.path;
	if (strcmp(place.path, "/") == 0)
		return sl_err_set(err, 0, "the root cannot be mounted over");
	mnt_fd = m->kind == PLAN_MOUNT_BIND ? bind_make(b, m, source_fd, &below, &n, err)
					    : fresh_make(b, m, &place, err);
	if (mnt_fd < 0 || mount_describe(mnt_fd, &book, err) < 0 ||
		mount_join(b, mnt_fd, place_fd, "", &book, err) < 0)
		return -1;
	mount_keep(b, m, place.path, &mnt_fd);
	if (book_submounts(b, place.path, below, n, err) < 0)
		return -1;
	return m->kind == PLAN_MOUNT_BIND && directory ? nodes_open(b, source_fd, place.path, err)
						       : 0;
}

/* Runs only after the first mount was joined. That shows that this kernel can join mounts to a
 * detached tree, so the build will not start again with another root. */
static int work_beside(struct builder *b, struct sl_err *err)
{
	if (!b->ctx || !b->ctx->beside || b->stage_fd >= 0)
		return 0;
	return b->ctx->beside(b->ctx->arg, b->root_fd, err);
}

static int mounts_make(struct builder *b, struct sl_err *err)
{
	for (size_t i = 0; i < b->fs->n_mounts; i++) {
		const struct plan_mount *m = &b->fs->mounts[i];

		if (mount_one(b, m, err) < 0)
			return sl_err_wrap(err, "mount %s to %s", m->source, m->destination);
		if (work_beside(b, err) < 0)
			return -1;
	}
	return 0;
}

/* Makes file systems of the runtime read-only through their superblock, because a joined mount
 * itself cannot be changed any more. */
static int seal(struct builder *b, struct sl_err *err)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY };

	for (size_t i = 0; i < b->sealed.n; i++)
		if (fs_change(b->sealed.items[i], "ro", NULL, "make a tmpfs read-only", err) < 0)
			return -1;
	if (b->fs->root_readonly &&
		mount_setattr(b->root_fd, "", AT_EMPTY_PATH, &attr, sizeof(attr)) < 0)
		return sl_err_set(err, errno, "make the root read-only");
	return 0;
}

static int loose_hang(struct builder *b, struct sl_err *err)
{
	if (!b->ctx || b->ctx->loose_fd < 0)
		return 0;
	return synth_hang(b, b->ctx->loose_fd, false, "loose", err);
}

static int (*const build_order[])(struct builder *b, struct sl_err *err) = {
	idmap_prepare, /* does not use the tree */
	root_make,     /* every path is resolved below it */
	/* in the bundle's order, because a mount may lie inside an earlier one */
	mounts_make, dev_populate, /* in the /dev that the mounts have made */
	console_populate,          /* needs the devpts */
	cwd_make,                  /* after the mounts, and while directories can be created */
	mask_readonly_paths,       /* before the generated files, which must stay visible */
	synth_identity, synth_sysctls, hosts_populate, bundles_populate,
	table_populate, /* when everything that it lists exists */
	/* these cover what was made above */
	size_cover, view_cover_sys, mask_host_lists, mask_paths, mask_denied,
	/* refers to the mask of a process */
	mask_processes, view_cover_proc, loose_hang, /* at any position */
	seal, /* after this step no mount point can be created */
};

int build_steps(struct builder *b, struct sl_err *err)
{
	/* The modes must be exact, whatever umask the caller has. */
	mode_t old = umask(0);
	int r = 0;

	for (size_t i = 0; i < sizeof(build_order) / sizeof(build_order[0]) && r == 0; i++)
		r = build_order[i](b, err);
	umask(old);
	return r;
}
