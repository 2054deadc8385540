/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files that make a container share while they do. Not for the rest of the room.
 */
#ifndef SANDLOCK_SUPERVISOR_BUILDER_H
#define SANDLOCK_SUPERVISOR_BUILDER_H

#include "runtime/supervisor/supervisor.h"
#include "runtime/tree/tree.h"

/* rootfs.mode namespace, mntns.c: -1 where there is none. */
struct mntns {
	int own_fd;  /* the container's mount namespace, until the tree is in it */
	int host_fd; /* the one that the runtime was in, for hooks */
	int root_fd; /* the root directory that the runtime had there */
};

#define MNTNS_NONE ((struct mntns){ -1, -1, -1 })

struct builder {
	struct supervisor *s;
	const struct supervisor_job *job;
	const struct plan *plan;
	struct arena *arena; /* what only building needs */
	pid_t init_tid;      /* 0 until init has said it */
	bool asked; /* init: to confine itself, and for the workload unless that has a terminal */
	struct tree tree;
	uint64_t *mount_ids; /* the record's */
	int blob_fd;
	int stdio[3];
	int master_fd;
	const char *net_template; /* NULL: what is shown of interfaces is still to be written */
	struct mntns mntns;
	int back_fd; /* of the runtime's network namespace, where another was entered, for hooks */
};

/* mntns.c: the container's mount namespace. init is forked between the first two, and so is born
 * in it; the tree is built in the host's. All do nothing in the other mode. */
int mntns_make(struct builder *b, struct sl_err *err);
int mntns_leave(struct builder *b, struct sl_err *err);
/* The tree becomes its root, and this process enters it for good. */
int mntns_enter(struct builder *b, struct sl_err *err);
void mntns_forget_host(struct builder *b);

/* ask.c: both return at once; init gets to the second when it is done with the first. */
int ask_for_confinement(struct builder *b, int root_fd, struct sl_err *err);
int ask_for_workload(struct builder *b, struct sl_err *err);

#endif
