/* SPDX-License-Identifier: Apache-2.0
 *
 * io.sandlock.gpu: the nodes of the host's GPUs that a container has: /dev/nvidiaN, and cardN and
 * renderD(128+N) in /dev/dri, with what all of a driver share (nvidiactl, nvidia-uvm, kfd). Those
 * that are not chosen are not there and cannot be opened, whatever the bundle says.
 *
 * It gives devices of the host, which no bundle may take for itself: so it is honoured only where
 * the node's annotations.allow names it.
 */
#ifndef SANDLOCK_PLAN_GPU_H
#define SANDLOCK_PLAN_GPU_H

#include "annotations/annotations.h"
#include "runtime/plan/env.h"
#include "runtime/plan/fs.h"
#include "runtime/plan/node.h"

/* Adds to fs->devices and to the rules of fs->resources, and takes away from both. The host is
 * asked which nodes there are. */
int plan_gpu_build(struct arena *a, rule_gpus gpus, const struct node_policy *node,
	struct plan_fs *fs, struct sl_err *err);

/* What programs look at to number the GPUs, which are 0, 1, … for them, as there are no others:
 * CUDA_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES. With all GPUs of the host nothing is set. */
void plan_gpu_env(struct arena *a, rule_gpus gpus, struct plan_env_rules *rules);

#endif
