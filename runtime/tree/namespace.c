/* SPDX-License-Identifier: Apache-2.0
 *
 * rootfs.mode namespace: the finished tree becomes the root of a mount namespace that contains
 * nothing else (mount_namespaces(7)). A copy of the host's namespace would take time in proportion
 * to its mount table, and would have to be emptied. Therefore a short-lived child creates one
 * namespace with an empty directory, and each container gets a copy of it.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "runtime/base/io.h"
#include "runtime/tree/internal.h"

#define EMPTY_ATTRS (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)

/* Makes the mount the new root, and detaches the old root with everything below it (pivot_root(2),
 * "pivot_root(".", ".")"). */
static int keep_new_root(int mnt_fd, struct sl_err *err)
{
	if (move_mount(mnt_fd, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return sl_err_set(err, errno, "mount an empty root");
	if (fchdir(mnt_fd) < 0 || syscall(SYS_pivot_root, ".", ".") < 0)
		return sl_err_set(err, errno, "pivot_root to an empty root");
	return umount2(".", MNT_DETACH) < 0 ? sl_err_set(err, errno, "take the host's mounts off")
					    : 0;
}

static int empty_namespace(int *ret_fd, struct sl_err *err)
{
	struct mount_attr attr = { .propagation = MS_PRIVATE };
	auto_fd int fs_fd = fs_open("tmpfs", err), mnt_fd = -1, ns_fd = -1;

	if (fs_fd < 0 || fs_set(fs_fd, "size", "4k", err) < 0 ||
		fs_set(fs_fd, "mode", "0555", err) < 0)
		return -1;
	if (unshare(CLONE_NEWNS) < 0)
		return sl_err_set(err, errno, "unshare");
	if (mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &attr, sizeof(attr)) < 0)
		return sl_err_set(err, errno, "make the host's mounts private");
	ns_fd = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	if (ns_fd < 0)
		return sl_err_set(err, errno, "open /proc/self/ns/mnt");
	mnt_fd = fs_mount(fs_fd, EMPTY_ATTRS, err);
	if (mnt_fd < 0 || keep_new_root(mnt_fd, err) < 0)
		return -1;
	*ret_fd = take_fd(&ns_fd);
	return 0;
}

static int go_to_processor(int cpu, struct sl_err *err)
{
	cpu_set_t set;

	if (cpu < 0)
		return 0;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) < 0
		       ? sl_err_set(err, errno, "sched_setaffinity to processor %d", cpu)
		       : 0;
}

/* Runs in the child: it sends the result and ends. */
static _Noreturn void namespace_child(int cpu, int sock)
{
	struct sl_err err = { 0 };
	int ns_fd = -1;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (go_to_processor(cpu, &err) < 0 || empty_namespace(&ns_fd, &err) < 0)
		_exit(io_send_fds(sock, &err, sizeof(err), NULL, 0) < 0);
	_exit(io_send_fds(sock, &err, sizeof(err), &ns_fd, 1) < 0);
}

static int take_namespace(int sock, int *ret_fd, struct sl_err *err)
{
	auto_fd int ns_fd = -1;
	struct sl_err answer;
	size_t n_fds = 0;
	ssize_t r = io_recv_fds(sock, &answer, sizeof(answer), &ns_fd, 1, &n_fds);

	if (r != (ssize_t)sizeof(answer))
		return sl_err_set(err, r < 0 ? errno : EPIPE, "its maker ended early");
	if (ns_fd < 0) {
		*err = answer;
		return -1;
	}
	*ret_fd = take_fd(&ns_fd);
	return 0;
}

int tree_namespace_make(int cpu, int *ret_fd, struct sl_err *err)
{
	auto_fd int ours = -1, theirs = -1;
	int pair[2], r;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return sl_err_set(err, errno, "socketpair");
	ours = pair[0];
	theirs = pair[1];
	pid = fork();
	if (pid < 0)
		return sl_err_set(err, errno, "fork");
	if (pid == 0)
		namespace_child(cpu, theirs);
	drop_fd(&theirs);
	r = take_namespace(ours, ret_fd, err);
	if (r < 0)
		kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return r;
}

int tree_namespace_fill(const struct tree *tree, struct sl_err *err)
{
	if (move_mount(tree->root_fd, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return sl_err_set(err, errno, "move the tree to its root");
	return 0;
}

int tree_namespace_id(int ns_fd, uint64_t *ret)
{
	return ioctl(ns_fd, NS_GET_MNTNS_ID, ret);
}

uint64_t tree_namespace_of_process(int dir_fd)
{
	auto_fd int fd = openat(dir_fd, "ns/mnt", O_RDONLY | O_CLOEXEC);
	uint64_t id = 0;

	return fd >= 0 && tree_namespace_id(fd, &id) == 0 ? id : 0;
}
