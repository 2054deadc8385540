/* SPDX-License-Identifier: Apache-2.0
 *
 * io.sandlock.gpu: the nodes of the host's GPUs that a container gets. These are /dev/nvidiaN, and
 * cardN and renderD(128+N) in /dev/dri, and the nodes that all GPUs of a driver share (nvidiactl,
 * nvidia-uvm, kfd). Other GPUs have no node and cannot be opened, whatever the bundle says.
 *
 * The annotation grants devices of the host, which a bundle may not grant itself. Therefore it is
 * accepted only if the node's annotations.allow names it.
 */
#ifndef SANDLOCK_PLAN_GPU_H
#define SANDLOCK_PLAN_GPU_H

#include "annotations/annotations.h"
#include "runtime/plan/env.h"
#include "runtime/plan/fs.h"
#include "runtime/plan/node.h"

/* Adds entries to fs->devices and to the rules of fs->resources, and removes others. It looks for
 * the nodes on the host. */
int plan_gpu_build(struct arena *a, rule_gpus gpus, const struct node_policy *node,
	struct plan_fs *fs, struct sl_err *err);

/* Adds rules for CUDA_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES, from which programs take the
 * numbers of the GPUs: 0, 1, … for the chosen ones, since there are no others. If all GPUs of the
 * host are chosen, nothing is added. */
void plan_gpu_env(struct arena *a, rule_gpus gpus, struct plan_env_rules *rules);

#endif
