/* SPDX-License-Identifier: Apache-2.0
 *
 * Covers the files in which a container can find network interfaces. The kernel's symlink /proc/net
 * leads to /proc/self/net, which shows the host's stack to every process here. It is covered by a
 * symlink to a directory of the runtime. This directory lies in the mount that hides a process of
 * the runtime, because nothing else in a procfs can hold it. Of sysfs the class and the virtual
 * devices are covered. Another room writes the content of the directories, see TREE_NET_PROC.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "runtime/tree/internal.h"

#define VIEW_ATTRS (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)
#define SHADE      "hidden"

/* All containers with the same content share the template, but they must not share inodes: a lock,
 * a lease or a watch of one container would affect the others. An overlay has its own inodes. */
static int overlay_template(struct builder *b, const char *path, struct sl_err *err)
{
	const char *layers =
		arena_printf(b->a, "%s/" TREE_NET_FILES ":%s/" TREE_NET_EMPTY, path, path);
	auto_fd int fs_fd = fs_open("overlay", err), mnt_fd = -1;

	if (fs_fd < 0 || fs_set(fs_fd, "source", "sandlock", err) < 0 ||
		fs_set(fs_fd, "lowerdir", layers, err) < 0)
		return -1;
	mnt_fd = fs_mount(fs_fd, VIEW_ATTRS, err);
	if (mnt_fd < 0)
		return -1;
	if (synth_hang(b, mnt_fd, true, "net-template", err) < 0)
		return -1;
	b->net_fd = take_fd(&mnt_fd);
	return 0;
}

static int template_open(struct builder *b, const char *path, struct sl_err *err)
{
	struct stat st;

	if (b->net_fd >= 0)
		return 0;
	if (lstat(path, &st) < 0)
		return sl_err_set(err, errno, "open %s", path);
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid())
		return sl_err_set(err, EPERM, "%s is of another user", path);
	return overlay_template(b, path, err);
}

static int view_directory(struct builder *b, const char *name, struct sl_err *err)
{
	const char *path = b->ctx ? b->ctx->net_template : NULL;

	if (!path)
		return synth_directory(b, name, 0555, VIEW_ATTRS, err);
	if (template_open(b, path, err) < 0)
		return -1;
	return mount_clone_one(b, b->net_fd, name, VIEW_ATTRS, err);
}

int view_shade(struct builder *b, struct sl_err *err)
{
	return view_directory(b, SHADE, err);
}

static int cover_proc(struct builder *b, size_t proc, struct sl_err *err)
{
	struct joined book = { .path = arena_printf(b->a, "%s/net", b->proc_paths[proc]) };
	auto_fd int mnt_fd = -1;
	char target[32];

	snprintf(target, sizeof(target), "%d/net", b->ctx->hidden_ids[0]);
	mnt_fd = synth_link(b, "net", target, err);
	if (mnt_fd < 0)
		return -1;
	/* ENOENT: a procfs with subset=pid has no /proc/net. */
	if (mount_join(b, mnt_fd, b->proc.items[proc], "net", &book, err) < 0)
		return err->code == ENOENT ? 0 : -1;
	return 0;
}

/* The kernel itself provides the paths, so there is no symlink, and the image has no influence. */
static int cover_sys(struct builder *b, size_t sys, const char *place, struct sl_err *err)
{
	struct joined book = { .path = arena_printf(b->a, "%s/%s", b->sys_paths[sys], place) };
	auto_fd int mnt_fd = view_directory(b, TREE_NET_CLASS, err);

	if (mnt_fd < 0)
		return -1;
	/* ENOENT: this kernel does not show devices there. */
	if (mount_join(b, mnt_fd, b->sys.items[sys], place, &book, err) < 0)
		return err->code == ENOENT ? 0 : -1;
	return 0;
}

int view_cover_sys(struct builder *b, struct sl_err *err)
{
	for (size_t i = 0; i < b->sys.n; i++)
		if (cover_sys(b, i, "class/net", err) < 0 ||
			cover_sys(b, i, "devices/virtual/net", err) < 0)
			return sl_err_wrap(err, "cover the host's interfaces");
	return 0;
}

int view_cover_proc(struct builder *b, struct sl_err *err)
{
	if (!b->fs->net_view || b->proc.n == 0)
		return 0;
	if (!b->ctx || b->ctx->n_hidden_ids == 0)
		return sl_err_set(err, EINVAL, "/proc/net: no process is hidden");
	/* The directory must be writable for its owner: a supervisor without CAP_DAC_OVERRIDE
	 * replaces the files later. */
	if (!b->ctx->net_template && mkdirat(b->synth_fd, TREE_NET_PROC, 0755) < 0)
		return sl_err_set(err, errno, "generate /proc/net");
	for (size_t i = 0; i < b->proc.n; i++)
		if (cover_proc(b, i, err) < 0)
			return sl_err_wrap(err, "cover the host's interfaces");
	return 0;
}
