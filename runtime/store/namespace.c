/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the empty mount namespace from which containers of rootfs.mode namespace are made: its
 * nsfs file is bind-mounted on a file below the state root, as ip-netns(8) keeps network
 * namespaces. Between the two is an unbindable bind mount of the file on itself. If the parent
 * mount is shared (every systemd machine), only this mount is propagated to the parent's peers.
 * A container that binds the state root's directory recursively (/run, or all of the host) does
 * not get a copy of the nsfs mount, which the kernel would refuse in a namespace made from this
 * one.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/sysinfo.h>
#include <sys/vfs.h>

#include "runtime/base/cleanup.h"
#include "runtime/store/store.h"

#define NAMESPACE "ns:empty" /* no container's id contains ':' */
#define LAYERS    8          /* store_open_namespace() makes two; more would be a bug */
#define LOCK_MS   5000       /* the holder of the lock copies the host's mount table, once */

static int lock_root(int root_fd, int *ret_fd, struct sl_err *err)
{
	auto_fd int fd = openat(root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || store_lock(fd, LOCK_MS) < 0)
		return sl_err_set(err, errno, "lock the state root");
	*ret_fd = take_fd(&fd);
	return 0;
}

/* Returns -1 if the file is no nsfs mount. If it is another namespace, using it fails. */
static int open_kept(int root_fd)
{
	auto_fd int fd = openat(root_fd, NAMESPACE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct statfs st;

	if (fd < 0 || fstatfs(fd, &st) < 0 || st.f_type != NSFS_MAGIC)
		return -1;
	return take_fd(&fd);
}

static int clone_store_mount(int fd)
{
	return open_tree(fd, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
}

static int mount_over(int mnt_fd, int place_fd)
{
	return move_mount(
		mnt_fd, "", place_fd, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

static int keep(int root_fd, int ns_fd, struct sl_err *err)
{
	struct mount_attr attr = { .propagation = MS_UNBINDABLE };
	auto_fd int file_fd =
		openat(root_fd, NAMESPACE, O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	auto_fd int point_fd = -1, mnt_fd = -1;

	if (file_fd < 0)
		return sl_err_set(err, errno, "make %s", NAMESPACE);
	point_fd = clone_store_mount(file_fd);
	mnt_fd = clone_store_mount(ns_fd);
	if (point_fd < 0 || mnt_fd < 0)
		return sl_err_set(err, errno, "keep it: clone its mount");
	if (mount_over(point_fd, file_fd) < 0 ||
		mount_setattr(point_fd, "", AT_EMPTY_PATH, &attr, sizeof(attr)) < 0 ||
		mount_over(mnt_fd, point_fd) < 0)
		return sl_err_set(err, errno, "keep it: bind it to %s", NAMESPACE);
	return 0;
}

static int take_off(int root_fd, struct sl_err *err)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", root_fd, NAMESPACE);
	for (int i = 0; i < LAYERS; i++) {
		if (umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW) == 0)
			continue;
		/* Nothing is mounted there, or nothing any more. */
		if (errno == EINVAL || errno == ENOENT)
			return 0;
		break;
	}
	return sl_err_set(err, errno, "unmount %s", NAMESPACE);
}

static int drop(int root_fd, struct sl_err *err)
{
	if (take_off(root_fd, err) < 0)
		return -1;
	if (unlinkat(root_fd, NAMESPACE, 0) < 0 && errno != ENOENT)
		return sl_err_set(err, errno, "remove %s", NAMESPACE);
	return 0;
}

/* The kernel allows binding a mount namespace only inside an older one. It compares ids that each
 * processor allocates in blocks: a new namespace may look older than the caller's, if the caller
 * is not in the initial one. It never does on the processor on which the caller's was made; that
 * one is found by trying. If it may not be used, the namespace is not kept. */
static int make_and_keep(int root_fd, store_namespace_maker *make, int *ret_fd, struct sl_err *err)
{
	const int n_cpus = get_nprocs_conf();
	auto_fd int ns_fd = -1;
	struct sl_err ignored;

	for (int cpu = STORE_ANY_CPU; cpu < n_cpus; cpu++) {
		auto_fd int made_fd = -1;

		if (make(cpu, &made_fd, err) < 0) {
			if (cpu == STORE_ANY_CPU)
				return -1;
			continue;
		}
		drop_fd(&ns_fd);
		ns_fd = take_fd(&made_fd);
		if (keep(root_fd, ns_fd, err) == 0)
			break;
		drop(root_fd, &ignored);
		if (err->code != ELOOP)
			return -1;
	}
	*ret_fd = take_fd(&ns_fd);
	return 0;
}

int store_open_namespace(int root_fd, store_namespace_maker *make, int *ret_fd, struct sl_err *err)
{
	auto_fd int lock_fd = -1, ns_fd = open_kept(root_fd);

	if (ns_fd < 0) {
		if (lock_root(root_fd, &lock_fd, err) < 0)
			return -1;
		ns_fd = open_kept(root_fd);
	}
	if (ns_fd < 0 && make_and_keep(root_fd, make, &ns_fd, err) < 0)
		return -1;
	*ret_fd = take_fd(&ns_fd);
	return 0;
}

/* Each directory of the state root is a container. */
static int has_container(int root_fd, bool *ret, struct sl_err *err)
{
	auto_fd int fd = openat(root_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!d)
		return sl_err_set(err, errno, "read the state root");
	take_fd(&fd);
	*ret = false;
	while (!*ret && (errno = 0, e = readdir(d)))
		*ret = e->d_type == DT_DIR && store_check_id(e->d_name, err) == 0;
	if (!*ret && errno != 0) {
		sl_err_set(err, errno, "read the state root");
		closedir(d);
		return -1;
	}
	closedir(d);
	return 0;
}

int store_forget_namespace(int root_fd, struct sl_err *err)
{
	auto_fd int lock_fd = -1;
	bool needed = false;

	if (faccessat(root_fd, NAMESPACE, F_OK, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
		return 0;
	if (lock_root(root_fd, &lock_fd, err) < 0 || has_container(root_fd, &needed, err) < 0)
		return -1;
	return needed ? 0 : drop(root_fd, err);
}
