/* SPDX-License-Identifier: Apache-2.0
 *
 * io.sandlock.gpu: "all", or numbers from 0 to 63 with commas between them, each once.
 */
#ifndef SANDLOCK_ANNOTATIONS_RULE_GPU_H
#define SANDLOCK_ANNOTATIONS_RULE_GPU_H

#include <stdint.h>

#include "runtime/base/arena.h"

#define RULE_GPU_MAX 64

/* One bit for each number; 0: not set; all bits: every GPU of the host. */
typedef uint64_t rule_gpus;

int rule_gpu_parse(struct arena *a, const char *value, rule_gpus *ret);
const char *rule_gpu_render(struct arena *a, const rule_gpus *v);

#endif
