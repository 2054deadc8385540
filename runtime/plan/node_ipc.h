/* SPDX-License-Identifier: Apache-2.0
 *
 * The limits of the node's "ipc": what one pod may have (ipc.h). Only for node.c.
 */
#ifndef SANDLOCK_PLAN_NODE_IPC_H
#define SANDLOCK_PLAN_NODE_IPC_H

#include "runtime/base/json_read.h"
#include "runtime/plan/node.h"

extern const struct plan_ipc_limits node_ipc_defaults;

int node_parse_shm_segments(const struct at *at, struct node_policy *n);
int node_parse_shm_bytes(const struct at *at, struct node_policy *n);
int node_parse_sem_sets(const struct at *at, struct node_policy *n);
int node_parse_semaphores(const struct at *at, struct node_policy *n);
int node_parse_msg_queues(const struct at *at, struct node_policy *n);
int node_parse_posix_queues(const struct at *at, struct node_policy *n);
int node_parse_posix_bytes(const struct at *at, struct node_policy *n);

#endif
