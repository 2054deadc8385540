/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files that make a container share while they do. Not for the rest of the room.
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
	struct arena *arena; /* what only building needs */
	pid_t init_tid;      /* 0 until init has said it */
	bool asked; /* init: to confine itself, and for the workload unless that has a terminal */
	struct tree tree;
	uint64_t *mount_ids;                /* the record's */
	const struct plan_process *process; /* the main one's; NULL: not packed yet */
	int stdio[3];
	int master_fd;
	const char *net_template;    /* NULL: what is shown of interfaces is still to be written */
	struct init_namespace mntns; /* rootfs.mode namespace: what init makes it of; else -1 */
	const char *authority; /* the certificate with which the HTTP proxy signs; NULL: none */
	const char *authority_name; /* in a directory of certificates */
	int host_mnt_fd;            /* the runtime's mount namespace, once it was left, for hooks */
	int back_fd; /* of the runtime's network namespace, where another was entered, for hooks */
};

/* mntns.c: the container's mount namespace. Before init is forked, and when init has come up and
 * the tree is finished, which becomes its root. Both do nothing in the other mode. */
int mntns_prepare(struct making *b, struct sl_err *err);
int mntns_enter(struct making *b, struct sl_err *err);
void mntns_forget_host(struct making *b);

/* proxy.c: where a rule needs one. The first returns at once; the second waits until it is
 * confined. */
int proxy_start(struct making *b, struct sl_err *err);
int proxy_await(struct making *b, struct sl_err *err);

/* sizes.c: writes what /proc and /sys tell of the container's size. */
int sizes_fill(struct making *b, struct sl_err *err);

/* ask.c: both return at once; init gets to the second when it is done with the first. */
int ask_for_confinement(struct making *b, int root_fd, struct sl_err *err);
int ask_for_workload(struct making *b, struct sl_err *err);

#endif
