/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/plan/node_ipc.h"

/* The kernel's defaults for the whole host are 4096 segments, 32000 sets, 32000 queues and 256
 * POSIX queues: a pod gets a part that leaves room for others and that programs are known to
 * stay below. */
const struct plan_ipc_limits node_ipc_defaults = {
	.shm_segments = 256,
	.shm_bytes = 4ULL << 30,
	.sem_sets = 256,
	.semaphores = 32000,
	.msg_queues = 128,
	.posix_queues = 64,
	.posix_bytes = 819200, /* RLIMIT_MSGQUEUE as a user has it, getrlimit(2) */
};

#define SHM_BYTES_MAX   (1ULL << 50)
#define SEMAPHORES_MAX  1024000 /* what a set may have times the sets, at their largest */
#define POSIX_BYTES_MAX (1ULL << 30)

static int parse_limit(const struct at *at, uint64_t max, uint64_t *ret)
{
	uint64_t v = 0;

	if (json_to_u64(at->j, &v) < 0 || v > max)
		return read_fail(at, "expected a number from 0 to %llu", (unsigned long long)max);
	*ret = v;
	return 0;
}

static int parse_count(const struct at *at, uint32_t max, uint32_t *ret)
{
	uint64_t v = 0;

	if (parse_limit(at, max, &v) < 0)
		return -1;
	*ret = (uint32_t)v;
	return 0;
}

int node_parse_shm_segments(const struct at *at, struct node_policy *n)
{
	return parse_count(at, PLAN_IPC_OBJECTS, &n->ipc_limits.shm_segments);
}

int node_parse_shm_bytes(const struct at *at, struct node_policy *n)
{
	return parse_limit(at, SHM_BYTES_MAX, &n->ipc_limits.shm_bytes);
}

int node_parse_sem_sets(const struct at *at, struct node_policy *n)
{
	return parse_count(at, PLAN_IPC_OBJECTS, &n->ipc_limits.sem_sets);
}

int node_parse_semaphores(const struct at *at, struct node_policy *n)
{
	return parse_count(at, SEMAPHORES_MAX, &n->ipc_limits.semaphores);
}

int node_parse_msg_queues(const struct at *at, struct node_policy *n)
{
	return parse_count(at, PLAN_IPC_OBJECTS, &n->ipc_limits.msg_queues);
}

int node_parse_posix_queues(const struct at *at, struct node_policy *n)
{
	return parse_count(at, PLAN_IPC_QUEUES, &n->ipc_limits.posix_queues);
}

int node_parse_posix_bytes(const struct at *at, struct node_policy *n)
{
	return parse_limit(at, POSIX_BYTES_MAX, &n->ipc_limits.posix_bytes);
}
