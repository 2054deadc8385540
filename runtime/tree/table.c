/* SPDX-License-Identifier: Apache-2.0
 *
 * /proc/mounts. The mounts of a detached tree belong to no mount namespace, so the kernel lists
 * none of them. A generated file in the format of fstab(5) covers the symlink /proc/mounts, for
 * df(1) and mount(8). It lists the root, the mounts of the bundle and those that a bind brings with
 * it, but neither the nodes of /dev nor the masks. A tree in a mount namespace does not need it.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/tree/internal.h"

/* Mount attributes as statfs(2) reports them; statvfs(3) calls them ST_…. */
static const struct {
	long flag;
	const char *name;
} flag_rows[] = {
	{ 0x0002, "nosuid" },
	{ 0x0004, "nodev" },
	{ 0x0008, "noexec" },
	{ 0x0400, "noatime" },
	{ 0x0800, "nodiratime" },
	{ 0x1000, "relatime" },
	{ 0x2000, "nosymfollow" },
};

static const struct {
	long magic;
	const char *name;
} type_rows[] = {
	{ EXT4_SUPER_MAGIC, "ext4" },
	{ XFS_SUPER_MAGIC, "xfs" },
	{ BTRFS_SUPER_MAGIC, "btrfs" },
	{ OVERLAYFS_SUPER_MAGIC, "overlay" },
	{ TMPFS_MAGIC, "tmpfs" },
	{ RAMFS_MAGIC, "ramfs" },
	{ SQUASHFS_MAGIC, "squashfs" },
	{ EROFS_SUPER_MAGIC_V1, "erofs" },
	{ F2FS_SUPER_MAGIC, "f2fs" },
	{ NFS_SUPER_MAGIC, "nfs" },
	{ FUSE_SUPER_MAGIC, "fuse" },
	{ 0x2fc12fc1, "zfs" },
};

static const char *type_word(const struct plan_mount *m, const struct statfs *st)
{
	if (m) {
		switch (m->kind) {
		case PLAN_MOUNT_TMPFS: return "tmpfs";
		case PLAN_MOUNT_PROC: return "proc";
		case PLAN_MOUNT_SYSFS: return "sysfs";
		case PLAN_MOUNT_DEVPTS: return "devpts";
		case PLAN_MOUNT_MQUEUE: return "mqueue";
		case PLAN_MOUNT_CGROUP: return "cgroup2";
		case PLAN_MOUNT_OVERLAY: return "overlay";
		case PLAN_MOUNT_BIND: break;
		}
	}
	for (size_t i = 0; i < sizeof(type_rows) / sizeof(type_rows[0]); i++)
		if (st->f_type == type_rows[i].magic)
			return type_rows[i].name;
	return "unknown";
}

/* Encodes spaces, tabs, newlines and backslashes so that getmntent(3) can decode them. */
static void field_print(FILE *out, const char *s)
{
	for (; *s; s++) {
		if (strchr(" \t\n\\", *s))
			fprintf(out, "\\%03o", (unsigned int)(unsigned char)*s);
		else
			fputc(*s, out);
	}
}

/* The device that a file system is on, as the kernel's list would name it; NULL: it is on none. */
static const char *device_path(struct arena *a, const struct joined *j)
{
	const char *dir = arena_printf(a, "/sys/dev/block/%u:%u", j->dev_major, j->dev_minor);
	char link[PATH_MAX];
	struct sl_err ignored;
	size_t len;
	ssize_t n;
	char *name;

	n = readlink(dir, link, sizeof(link) - 1);
	if (n < 0)
		return NULL;
	link[n] = '\0';
	name = strrchr(link, '/');
	if (name && strncmp(name, "/dm-", 4) == 0 &&
		io_read_file(a, AT_FDCWD, arena_printf(a, "%s/dm/name", dir), NAME_MAX, &name, &len,
			&ignored) == 0)
		return arena_printf(a, "/dev/mapper/%.*s", (int)strcspn(name, "\n"), name);
	return name ? arena_printf(a, "/dev%s", name) : NULL;
}

static const char *source_word(struct arena *a, const struct joined *j, const char *type)
{
	const char *device = NULL;

	if (j->plan && j->plan->kind != PLAN_MOUNT_BIND)
		return j->plan->source;
	if (j->dev_major != 0)
		device = device_path(a, j);
	return device ? device : type;
}

static void line_print(struct arena *a, FILE *out, const struct joined *j, bool readonly)
{
	const char *type = type_word(j->plan, &j->st);

	field_print(out, source_word(a, j, type));
	fputc(' ', out);
	field_print(out, j->path);
	fprintf(out, " %s %s", type, readonly ? "ro" : "rw");
	for (size_t i = 0; i < sizeof(flag_rows) / sizeof(flag_rows[0]); i++)
		if (j->st.f_flags & flag_rows[i].flag)
			fprintf(out, ",%s", flag_rows[i].name);
	if (j->plan && (j->plan->kind == PLAN_MOUNT_TMPFS || j->plan->kind == PLAN_MOUNT_DEVPTS)) {
		for (size_t i = 0; i < j->plan->n_fs_options; i++) {
			const struct key_value *o = &j->plan->fs_options[i];

			fprintf(out, ",%s%s", o->key, o->value ? "=" : "");
			field_print(out, o->value ? o->value : "");
		}
	}
	fputs(" 0 0\n", out);
}

static void table_print(struct builder *b, FILE *out)
{
	for (size_t i = 0; i < b->n_joined; i++) {
		const struct joined *j = &b->joined[i];
		bool readonly = j->st.f_flags & 1;

		/* The root and a tmpfs become read-only only after the last mount point was
		 * created. */
		if (i == 0)
			readonly |= b->fs->root_readonly;
		else if (j->plan)
			readonly |= (j->plan->attr_set & MOUNT_ATTR_RDONLY) != 0;
		if (j->st.f_type != 0)
			line_print(b->a, out, j, readonly);
	}
}

int table_populate(struct builder *b, struct sl_err *err)
{
	auto_free char *text = NULL;
	auto_file FILE *out = NULL;
	size_t len = 0;

	if (b->fs->own_namespace || b->proc.n == 0)
		return 0;
	out = open_memstream(&text, &len);
	if (!out)
		return sl_err_set(err, ENOMEM, "mount table");
	table_print(b, out);
	if (fflush(out) != 0)
		return sl_err_set(err, ENOMEM, "mount table");
	for (size_t i = 0; i < b->proc.n; i++) {
		struct joined book = {
			.path = arena_printf(b->a, "%s/mounts", b->proc_paths[i]),
		};
		auto_fd int fd = synth_file(b, "mounts", text, len, err);

		/* ENOENT: a procfs with subset=pid has no such file. */
		if (fd < 0 || (mount_join(b, fd, b->proc.items[i], "mounts", &book, err) < 0 &&
				      err->code != ENOENT))
			return sl_err_wrap(err, "mount table");
	}
	return 0;
}
