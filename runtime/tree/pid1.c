/* SPDX-License-Identifier: Apache-2.0
 *
 * Shows the main process as /proc/1. There is no pid namespace, so 1 is the host's first process in
 * every procfs, and hidden. The directory of the main process is mounted over it: then it can be
 * opened by name, and the main process' own permissions apply. It does not appear in a listing.
 *
 * With hidepid a process cannot find the mount point unless it may trace the host's first process,
 * and the id of the main process is known late. Therefore make_proc() opens the directory while the
 * procfs does not have hidepid yet. As long as it is open, its name is in the kernel's cache, and
 * the kernel does not apply hidepid to a lookup in the cache.
 *
 * The mount refers to the process and not to its number: after the process has ended, everything
 * below is ESRCH or ENOENT, even if another process has the number.
 */
#include <fcntl.h>
#include <stdio.h>

#include "runtime/tree/internal.h"

int pid1_keep(struct builder *b, int proc_fd, struct sl_err *err)
{
	auto_fd int fd = -1;

	/* Before Linux 6.15 nothing can be mounted into the finished tree. */
	if (b->stage_fd >= 0)
		return 0;
	fd = openat(proc_fd, "1", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* ENOENT: this is the host's procfs in a user namespace, which hides process 1. */
	if (fd < 0 && errno != ENOENT)
		return sl_err_set(err, errno, "process 1");
	fd_list_add(b, &b->pid1, take_fd(&fd));
	return 0;
}

static int show_in(
	const struct tree *tree, size_t i, pid_t pid, uint64_t *ret_id, struct sl_err *err)
{
	auto_fd int proc_fd = place_open(tree->root_fd, tree->proc_paths[i], O_DIRECTORY);
	auto_fd int at_fd = -1, mnt_fd = -1;
	char name[16];

	if (proc_fd >= 0)
		at_fd = openat(proc_fd, "1", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (at_fd < 0 && errno != ENOENT && errno != ENOTDIR)
		return sl_err_set(err, errno, "open");
	/* The mount point is covered by a later mount or masked, so nothing is shown. A hidden
	 * directory cannot be examined, but its file system can. */
	if (at_fd < 0 || !mount_same_fs(at_fd, tree->pid1_fds[i]))
		return 0;
	snprintf(name, sizeof(name), "%d", pid);
	mnt_fd =
		open_tree(proc_fd, name, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW);
	if (mnt_fd < 0)
		return sl_err_set(err, errno, "clone");
	if (move_mount(mnt_fd, "", at_fd, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) <
		0)
		return sl_err_set(err, errno, "join");
	*ret_id = ids_of(mnt_fd, "", AT_EMPTY_PATH);
	return *ret_id ? 0 : sl_err_set(err, errno, "mount id");
}

int tree_show_main(
	struct tree *tree, pid_t pid, uint64_t *ret_ids, size_t *ret_n, struct sl_err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < tree->n_procs; i++) {
		uint64_t id = 0;

		if (tree->pid1_fds[i] < 0)
			continue;
		if (show_in(tree, i, pid, &id, err) < 0)
			return sl_err_wrap(err, "the main process as %s/1", tree->proc_paths[i]);
		if (id)
			ret_ids[n++] = id;
		drop_fd(&tree->pid1_fds[i]);
	}
	*ret_n = n;
	return 0;
}
