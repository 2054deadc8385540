/* SPDX-License-Identifier: Apache-2.0
 *
 * rootfs.mode namespace: the container's mount namespace (runtime/tree/namespace.c). init makes
 * it, so that every process of the container is born in it. The supervisor enters it when the
 * tree is finished: mounts can be cloned for the tree only in the host's namespace. The
 * supervisor stays in it, so that `nsenter -m -t <tracked pid>` gives the container's root.
 *
 * Until they are confined, supervisor and init keep the host's root directory as their root, so
 * that paths mean the same in both namespaces.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>

#include "runtime/base/cleanup.h"
#include "runtime/store/store.h"
#include "runtime/supervisor/build.h"

int mntns_prepare(struct making *b, struct sl_err *err)
{
	struct init_namespace *n = &b->mntns;

	if (!b->plan->fs.own_namespace)
		return 0;
	if ((b->plan->fs.namespace_once ? tree_namespace_make(-1, &n->empty_fd, err)
					: store_open_namespace(b->s->state_root_fd,
						  tree_namespace_make, &n->empty_fd, err)) < 0)
		return sl_err_wrap(err, "rootfs.mode namespace: make a mount namespace");
	n->once = b->plan->fs.namespace_once;
	n->root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return n->root_fd < 0 ? sl_err_set(err, errno, "open the root directory") : 0;
}

static int open_of(const struct supervisor *s, const char *process)
{
	char path[32];

	snprintf(path, sizeof(path), "%s/ns/mnt", process);
	return openat(s->proc_fd, path, O_RDONLY | O_CLOEXEC);
}

static int open_both(struct making *b, int *ret_own_fd, struct sl_err *err)
{
	char init[16];
	auto_fd int own_fd = -1;

	snprintf(init, sizeof(init), "%d", b->s->record.init.pid);
	own_fd = open_of(b->s, init);
	b->host_mnt_fd = open_of(b->s, "self");
	if (own_fd < 0 || b->host_mnt_fd < 0)
		return sl_err_set(err, errno, "open it");
	/* Before 6.11 a mount namespace has no id; members are then known by their mounts only. */
	if (tree_namespace_id(own_fd, &b->s->record.mount_namespace) < 0 && errno != ENOTTY)
		return sl_err_set(err, errno, "find its id");
	b->s->mounts.namespace = b->s->record.mount_namespace;
	*ret_own_fd = take_fd(&own_fd);
	return 0;
}

static int fill_namespace(struct making *b, struct sl_err *err)
{
	auto_fd int own_fd = -1;

	if (open_both(b, &own_fd, err) < 0)
		return -1;
	if (setns(own_fd, CLONE_NEWNS) < 0)
		return sl_err_set(err, errno, "setns");
	if (tree_namespace_fill(&b->tree, err) < 0)
		return -1;
	if (fchdir(b->mntns.root_fd) < 0 || chroot(".") < 0)
		return sl_err_set(err, errno, "keep the host's root directory");
	return 0;
}

int mntns_enter(struct making *b, struct sl_err *err)
{
	if (b->mntns.root_fd < 0)
		return 0;
	drop_fd(&b->mntns.empty_fd);
	return fill_namespace(b, err) < 0
		       ? sl_err_wrap(err, "rootfs.mode namespace: the mount namespace")
		       : 0;
}

void mntns_forget_host(struct making *b)
{
	drop_fd(&b->host_mnt_fd);
	drop_fd(&b->mntns.root_fd);
}
