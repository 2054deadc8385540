/* SPDX-License-Identifier: Apache-2.0
 *
 * rootfs.mode namespace: the container's mount namespace (runtime/tree/namespace.c). It is made
 * before init is forked, so that everything of the container is born in it, and entered once more
 * when the tree is finished: what is cloned for the tree has to be cloned in the host's. The
 * supervisor stays, so that `nsenter -m -t <tracked pid>` gives the container's root.
 *
 * Until they are confined, supervisor and init keep the host's root directory as theirs, whatever
 * namespace they are in: paths mean what they meant before.
 */
#include <fcntl.h>
#include <sched.h>

#include "runtime/base/cleanup.h"
#include "runtime/store/store.h"
#include "runtime/supervisor/builder.h"

static int stand_on_host(const struct mntns *n, struct sl_err *err)
{
	if (fchdir(n->root_fd) < 0 || chroot(".") < 0)
		return sl_err_set(err, errno, "keep the host's root directory");
	return 0;
}

/* /proc is not reached by its path where the root is an empty one. */
static int open_own(const struct supervisor *s)
{
	return openat(s->proc_fd, "self/ns/mnt", O_RDONLY | O_CLOEXEC);
}

static int copy_empty(struct supervisor *s, struct mntns *n, struct sl_err *err)
{
	auto_fd int empty_fd = -1;

	if (store_open_namespace(s->state_root_fd, tree_namespace_make, &empty_fd, err) < 0)
		return -1;
	n->host_fd = open_own(s);
	n->root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (n->host_fd < 0 || n->root_fd < 0)
		return sl_err_set(err, errno, "open the host's");
	if (setns(empty_fd, CLONE_NEWNS) < 0)
		return sl_err_set(err, errno, "setns to the empty one");
	if (unshare(CLONE_NEWNS) < 0)
		return sl_err_set(err, errno, "unshare the empty one");
	n->own_fd = open_own(s);
	if (n->own_fd < 0)
		return sl_err_set(err, errno, "open the new one");
	/* Before 6.11 it has none, and members are known by their mounts only. */
	if (tree_namespace_id(n->own_fd, &s->record.mount_namespace) < 0 && errno != ENOTTY)
		return sl_err_set(err, errno, "find its id");
	s->members.mount_namespace = s->record.mount_namespace;
	return stand_on_host(n, err);
}

int mntns_make(struct builder *b, struct sl_err *err)
{
	if (!b->plan->fs.own_namespace)
		return 0;
	if (copy_empty(b->s, &b->mntns, err) < 0)
		return sl_err_wrap(err, "rootfs.mode namespace: make a mount namespace");
	return 0;
}

static int enter(int ns_fd, struct sl_err *err)
{
	return setns(ns_fd, CLONE_NEWNS) < 0 ? sl_err_set(err, errno, "setns") : 0;
}

int mntns_leave(struct builder *b, struct sl_err *err)
{
	if (b->mntns.own_fd < 0)
		return 0;
	if (enter(b->mntns.host_fd, err) < 0 || stand_on_host(&b->mntns, err) < 0)
		return sl_err_wrap(err, "rootfs.mode namespace: back to the host's");
	return 0;
}

int mntns_enter(struct builder *b, struct sl_err *err)
{
	if (b->mntns.own_fd < 0)
		return 0;
	if (enter(b->mntns.own_fd, err) < 0 || tree_namespace_fill(&b->tree, err) < 0 ||
		stand_on_host(&b->mntns, err) < 0)
		return sl_err_wrap(err, "rootfs.mode namespace: fill the mount namespace");
	drop_fd(&b->mntns.own_fd);
	return 0;
}

void mntns_forget_host(struct builder *b)
{
	drop_fd(&b->mntns.host_fd);
	drop_fd(&b->mntns.root_fd);
}
