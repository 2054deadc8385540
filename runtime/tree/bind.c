/* SPDX-License-Identifier: Apache-2.0
 *
 * Bind mounts. The source is opened once with O_PATH; symlinks are followed on the host, as other
 * runtimes do. Everything later uses this descriptor. File systems with which the host's kernel can
 * be read or controlled are refused, as the source and below it: a procfs of the host would list
 * the host's processes, and the others could change the host.
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>

#include "runtime/plan/devices.h"
#include "runtime/tree/internal.h"

static const struct {
	long magic;
	const char *name;
} kernel_interfaces[] = {
	{ PROC_SUPER_MAGIC, "procfs" }, { SYSFS_MAGIC, "sysfs" }, { CGROUP_SUPER_MAGIC, "cgroup" },
	{ CGROUP2_SUPER_MAGIC, "cgroup2" }, { DEBUGFS_MAGIC, "debugfs" },
	{ TRACEFS_MAGIC, "tracefs" }, { SECURITYFS_MAGIC, "securityfs" },
	{ SELINUX_MAGIC, "selinuxfs" }, { BPF_FS_MAGIC, "bpf" }, { BINFMTFS_MAGIC, "binfmt_misc" },
	{ EFIVARFS_MAGIC, "efivarfs" },
	{ 0x62656570, "configfs" }, /* fs/configfs/mount.c; in no exported header */
};

int bind_check_source(int fd, const char *what, struct sl_err *err)
{
	struct statfs st;

	if (fstatfs(fd, &st) < 0)
		return sl_err_set(err, errno, "file system of %s", what);
	for (size_t i = 0; i < sizeof(kernel_interfaces) / sizeof(kernel_interfaces[0]); i++)
		if (st.f_type == kernel_interfaces[i].magic)
			return sl_err_set(err, 0,
				"%s is on the host's %s, which cannot be bound into a container "
				"without namespaces",
				what, kernel_interfaces[i].name);
	return 0;
}

int bind_open(const struct plan_mount *m, bool *ret_directory, struct sl_err *err)
{
	auto_fd int fd = open(m->source, O_PATH | O_CLOEXEC);
	struct statx st;

	if (fd < 0 || statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &st) < 0)
		return sl_err_set(err, errno, "source");
	*ret_directory = S_ISDIR(st.stx_mode);
	return take_fd(&fd);
}

static int check_below(
	int mnt_fd, const char *source, const char *const *below, size_t n, struct sl_err *err)
{
	for (size_t i = 0; i < n; i++) {
		auto_fd int fd = place_open(mnt_fd, below[i], 0);
		char what[512];

		if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
			continue; /* hidden below another mount, or removed meanwhile */
		if (fd < 0)
			return sl_err_set(err, errno, "%s/%s", source, below[i]);
		snprintf(what, sizeof(what), "%s/%s", strcmp(source, "/") == 0 ? "" : source,
			below[i]);
		if (bind_check_source(fd, what, err) < 0)
			return -1;
	}
	return 0;
}

/* As runc does: the attributes of the mount itself are set first, then the recursive ones. */
static void attrs_of(const struct plan_mount *m, bool recursive, struct mount_attr *ret_all,
	struct mount_attr *ret_top)
{
	*ret_all = (struct mount_attr){
		.attr_set = m->attr_rec_set,
		.attr_clr = m->attr_rec_clear,
		.propagation = m->propagation,
	};
	*ret_top = (struct mount_attr){
		.attr_set = m->attr_set & ~m->attr_rec_clear & ~m->attr_rec_set,
		.attr_clr = m->attr_clear & ~m->attr_rec_set & ~m->attr_rec_clear,
	};
	if (m->attr_rec_clear & MOUNT_ATTR__ATIME) {
		ret_top->attr_set &= ~(uint64_t)MOUNT_ATTR__ATIME;
		ret_top->attr_clr &= ~(uint64_t)MOUNT_ATTR__ATIME;
	}
	if (recursive)
		return;
	ret_all->attr_set |= ret_top->attr_set;
	ret_all->attr_clr |= ret_top->attr_clr;
	*ret_top = (struct mount_attr){ 0 };
}

/* A single device node that is bound by an entry of mounts can be used if the bundle grants the
 * device. Then it gets the attributes of the nodes in /dev. Any other node cannot be opened because
 * of nodev. */
static int check_node(struct builder *b, int fd, struct mount_attr *all, struct sl_err *err)
{
	struct statx st;
	int granted;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &st) < 0)
		return sl_err_set(err, errno, "stat");
	if (!S_ISCHR(st.stx_mode) && !S_ISBLK(st.stx_mode))
		return S_ISDIR(st.stx_mode);
	granted = plan_device_granted(b->fs->resources, S_ISBLK(st.stx_mode) ? 'b' : 'c',
		st.stx_rdev_major, st.stx_rdev_minor, err);
	if (granted < 0)
		return -1;
	if (granted) {
		all->attr_set &= ~(uint64_t)MOUNT_ATTR_NODEV;
		all->attr_clr |= MOUNT_ATTR_NODEV;
		all->attr_set |= MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC;
	}
	return 0;
}

int bind_make(struct builder *b, const struct plan_mount *m, int source_fd,
	const char *const **ret_below, size_t *ret_n, struct sl_err *err)
{
	struct mount_attr all, top;
	const char *const *below = NULL;
	auto_fd int mnt_fd = -1;
	size_t n = 0;
	int directory;

	if (bind_check_source(source_fd, m->source, err) < 0)
		return -1;
	attrs_of(m, false, &all, &top);
	directory = check_node(b, source_fd, &all, err);
	if (directory < 0 ||
		(directory && m->recursive && ids_submounts(b, source_fd, &below, &n, err) < 0))
		return -1;
	if (n > 0)
		attrs_of(m, true, &all, &top);
	if (m->idmap) {
		struct mount_attr *on = n > 0 && !m->idmap_recursive ? &top : &all;

		on->attr_set |= MOUNT_ATTR_IDMAP;
		on->userns_fd = (uint64_t)idmap_fd(b, m);
	}
	mnt_fd = mount_clone(b, source_fd, "", n > 0, &all, err);
	if (mnt_fd < 0)
		return -1;
	if ((top.attr_set || top.attr_clr) &&
		mount_setattr(mnt_fd, "", AT_EMPTY_PATH, &top, sizeof(top)) < 0)
		return sl_err_set(err, errno, "set mount attributes");
	if (check_below(mnt_fd, m->source, below, n, err) < 0)
		return -1;
	*ret_below = below;
	*ret_n = n;
	return take_fd(&mnt_fd);
}
