/* SPDX-License-Identifier: Apache-2.0
 *
 * System V IPC and POSIX message queues that are private to a pod (sysvipc(7), mq_overview(7)),
 * without an IPC namespace: the keys and names of a container are translated, and an object
 * that the pod has not made does not exist for it.
 *
 * What is made is the host's object under a key or name that nobody else knows. shmget, semget,
 * msgget, mq_open and mq_unlink are done here, as the caller's user. The calls that take an id
 * take it in a register: it is looked up in the pod's table, and the call goes on in the kernel,
 * which judges the caller's rights and waits where it has to. What tells of objects or removes
 * them is answered here.
 *
 * The table (table.h) is one file below the state root that all supervisors of the pod share.
 * The last container that leaves removes what is left of the pod's objects.
 *
 * Failure regime: opening returns errors; afterwards never die, deny.
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
	int root_fd;                          /* the state root; must outlive the room */
	int proc_fd;                          /* the host's /proc; likewise */
	const char *id;                       /* of the container; likewise */
	const char *pod;                      /* likewise */
	const char *with; /* the container whose objects are shared, NULL: none */
	bool shared;      /* others may know this pod: its table is there from the beginning */
};

/* Before the supervisor confines itself. */
int ipc_open(struct arena *a, const struct ipc_setup *setup, struct ipc **ret, struct sl_err *err);

void ipc_on_sysv(const struct notif_call *c, struct notif_verdict *v, void *ipc);
void ipc_on_mq_open(const struct notif_call *c, struct notif_verdict *v, void *ipc);
void ipc_on_mq_unlink(const struct notif_call *c, struct notif_verdict *v, void *ipc);

/* A container is over, or was never finished. The last one of its pod takes the objects with
 * it. pod NULL: of whichever pods it was in. Harmless when it has left already. */
int ipc_leave(int root_fd, const char *pod, const char *id, struct sl_err *err);

#endif
