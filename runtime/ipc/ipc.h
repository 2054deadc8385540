/* SPDX-License-Identifier: Apache-2.0
 *
 * System V IPC and POSIX message queues that are private to a pod (sysvipc(7), mq_overview(7)),
 * without an IPC namespace. The keys and names of a container are translated, and objects that the
 * pod has not created do not exist for it.
 *
 * An object is created in the host's namespace, under a random key or name. The supervisor performs
 * shmget, semget, msgget, mq_open and mq_unlink as the caller's user. Other calls take an id in a
 * register: the supervisor looks it up in the pod's table, and the kernel continues the call,
 * checks the caller's permissions and blocks where it has to. The supervisor also answers the calls
 * that report on objects or remove them.
 *
 * The table (table.h) is one file below the state root that all supervisors of the pod share. The
 * last container that leaves removes the pod's remaining objects.
 *
 * Opening returns errors. Later failures deny the call; they never end the supervisor.
 */
#ifndef SANDLOCK_IPC_IPC_H
#define SANDLOCK_IPC_IPC_H

#include <stdbool.h>

#include "runtime/base/arena.h"
#include "runtime/base/err.h"
#include "runtime/notif/notif.h"
#include "runtime/plan/ipc.h"

struct ipc;

struct ipc_setup {
	const struct plan_ipc_limits *limits; /* copied */
	/* the state root; must stay open as long as struct ipc is used */
	int root_fd;
	int proc_fd;      /* the host's /proc; must stay open as well */
	const char *id;   /* the container's id; must stay valid */
	const char *pod;  /* must stay valid */
	const char *with; /* the container whose objects are shared; NULL: none */
	bool shared;      /* other containers may join this pod, so its table is made at once */
};

/* To be called before the supervisor restricts itself. */
int ipc_open(struct arena *a, const struct ipc_setup *setup, struct ipc **ret, struct sl_err *err);

void ipc_on_sysv(const struct notif_call *c, struct notif_verdict *v, void *ipc);
void ipc_on_mq_open(const struct notif_call *c, struct notif_verdict *v, void *ipc);
void ipc_on_mq_unlink(const struct notif_call *c, struct notif_verdict *v, void *ipc);

/* To be called when a container has ended, or when its creation has failed. The last container of a
 * pod removes the pod's objects. pod NULL: the container leaves every pod that it is in. Does
 * nothing when the container has left before. */
int ipc_leave(int root_fd, const char *pod, const char *id, struct sl_err *err);

#endif
