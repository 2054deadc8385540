/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose System V objects and POSIX queues a container uses: those of a pod, or the host's where
 * the bundle asks for them and the node opens them. Pure, belongs to the plan.
 */
#ifndef SANDLOCK_PLAN_IPC_H
#define SANDLOCK_PLAN_IPC_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/err.h"
#include "spec/spec.h"

/* What one pod may have at a time. The kernel's own limits are for the host as a whole. */
struct plan_ipc_limits {
	uint32_t shm_segments; /* "ipc": {"shmSegments"}; at most PLAN_IPC_OBJECTS each */
	uint64_t shm_bytes;    /* "shmBytes": of all segments, attached or not */
	uint32_t sem_sets;     /* "semaphoreSets" */
	uint32_t semaphores;   /* "semaphores": in all sets */
	uint32_t msg_queues;   /* "messageQueues": of System V */
	uint32_t posix_queues; /* "posixQueues": that have a name; at most PLAN_IPC_QUEUES */
	uint64_t posix_bytes;  /* "posixQueueBytes": RLIMIT_MSGQUEUE of the pod */
};

/* The room that a pod's table has. */
#define PLAN_IPC_OBJECTS 1024
#define PLAN_IPC_QUEUES  256

enum plan_ipc_whose {
	PLAN_IPC_OWN,   /* an ipc namespace without a path: of a new pod */
	PLAN_IPC_NAMED, /* with a path: of the pod whose container it belongs to */
	PLAN_IPC_HOST,  /* none: the host's */
};

struct node_policy;

struct plan_ipc {
	enum plan_ipc_whose whose;
	const char *path; /* PLAN_IPC_NAMED */
	struct plan_ipc_limits limits;
	bool host_sysv;   /* the node opens the host's System V objects; */
	bool host_mqueue; /* the same of its POSIX queues */
};

/* Refuses the host's objects unless the node opens them. */
int plan_ipc_build(const struct spec_linux *l, const struct node_policy *node, struct plan_ipc *ret,
	struct sl_err *err);

/* What is refused, also where it turns out later that a path leads to the host's. */
int plan_ipc_check_host(const struct plan_ipc *p, struct sl_err *err);

#endif
