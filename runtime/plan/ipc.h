/* SPDX-License-Identifier: Apache-2.0
 *
 * Which System V objects and POSIX queues a container uses: those of a pod, or the host's if the
 * bundle asks for them and the node permits it.
 */
#ifndef SANDLOCK_PLAN_IPC_H
#define SANDLOCK_PLAN_IPC_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/err.h"
#include "spec/spec.h"

/* How much one pod may have at the same time. The kernel's own limits are for the whole host. */
struct plan_ipc_limits {
	uint32_t shm_segments; /* "ipc": {"shmSegments"}; at most PLAN_IPC_OBJECTS each */
	uint64_t shm_bytes;    /* "shmBytes": all segments together, attached or not */
	uint32_t sem_sets;     /* "semaphoreSets" */
	uint32_t semaphores;   /* "semaphores": in all sets */
	uint32_t msg_queues;   /* "messageQueues": of System V */
	uint32_t posix_queues; /* "posixQueues": queues with a name; at most PLAN_IPC_QUEUES */
	uint64_t posix_bytes;  /* "posixQueueBytes": RLIMIT_MSGQUEUE of the pod */
};

/* The sizes of a pod's table. */
#define PLAN_IPC_OBJECTS 1024
#define PLAN_IPC_QUEUES  256

enum plan_ipc_whose {
	PLAN_IPC_OWN, /* an ipc namespace without a path: a new pod */
	/* an ipc namespace with a path: the pod of the container that the path belongs to */
	PLAN_IPC_NAMED,
	PLAN_IPC_HOST, /* no ipc namespace: the host */
};

struct node_policy;

struct plan_ipc {
	enum plan_ipc_whose whose;
	const char *path; /* PLAN_IPC_NAMED */
	struct plan_ipc_limits limits;
	bool host_sysv;   /* the node permits the host's System V objects */
	bool host_mqueue; /* the node permits the host's POSIX queues */
};

/* Refuses the host's objects unless the node permits them. */
int plan_ipc_build(const struct spec_linux *l, const struct node_policy *node, struct plan_ipc *ret,
	struct sl_err *err);

/* Makes this check; also for a path that turns out later to be the host's namespace. */
int plan_ipc_check_host(const struct plan_ipc *p, struct sl_err *err);

#endif
