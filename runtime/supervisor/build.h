/* SPDX-License-Identifier: Apache-2.0
 *
 * The state that the files which make a container share. The rest of the room does not use it.
 */
#ifndef SANDLOCK_SUPERVISOR_BUILD_H
#define SANDLOCK_SUPERVISOR_BUILD_H

#include "runtime/init/init.h"
#include "runtime/supervisor/internal.h"
#include "runtime/tree/tree.h"

struct making {
	struct supervisor *s;
	const struct supervisor_job *job;
	const struct plan *plan;
	struct arena *arena; /* for memory that only building needs */
	pid_t init_tid;      /* 0 until init has sent it */
	/* init was asked to confine itself, and for the workload unless that has a terminal */
	bool asked;
	struct tree tree;
	uint64_t *mount_ids;                /* the array that the record uses */
	const struct plan_process *process; /* the main process; NULL: not packed yet */
	int stdio[3];
	int master_fd;
	/* NULL: the files that show network interfaces are still to be written */
	const char *net_template;
	/* what init makes the mount namespace from (rootfs.mode namespace); else -1 */
	struct init_namespace mntns;
	const char *authority; /* the certificate with which the HTTP proxy signs; NULL: none */
	const char *authority_name; /* its file name in a directory of certificates */
	/* for hooks: the runtime's mount namespace, if the supervisor has left it */
	int host_mnt_fd;
	int back_fd; /* for hooks: the runtime's network namespace, if the supervisor has left it */
};

/* mntns.c: the container's mount namespace. mntns_prepare() is called before init is forked, and
 * mntns_enter() when init has started and the tree is finished, which becomes the root. Both do
 * nothing unless rootfs.mode is namespace. */
int mntns_prepare(struct making *b, struct sl_err *err);
int mntns_enter(struct making *b, struct sl_err *err);
void mntns_forget_host(struct making *b);

/* proxy.c: the HTTP proxy, if a rule needs one. proxy_start() returns at once; proxy_await()
 * waits until the proxy is confined. */
int proxy_start(struct making *b, struct sl_err *err);
int proxy_await(struct making *b, struct sl_err *err);

/* sizes.c: writes the files below /proc and /sys that show the container's size. */
int sizes_fill(struct making *b, struct sl_err *err);

/* ask.c: both return at once; init handles the second request when it is done with the first. */
int ask_for_confinement(struct making *b, int root_fd, struct sl_err *err);
int ask_for_workload(struct making *b, struct sl_err *err);

#endif
