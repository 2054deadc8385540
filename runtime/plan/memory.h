/* SPDX-License-Identifier: Apache-2.0
 *
 * linux.memoryPolicy in the form of set_mempolicy(2).
 */
#ifndef SANDLOCK_PLAN_MEMORY_H
#define SANDLOCK_PLAN_MEMORY_H

#include <sched.h>

#include "spec/spec.h"

struct plan_memory {
	bool set;
	int mode;        /* with its flags */
	cpu_set_t nodes; /* the set has room for more nodes than any kernel supports */
};

/* Refuses what this kernel would refuse: a mode with too few or too many nodes, nodes that do not
 * exist, or flags that exclude each other. */
int plan_memory_build(
	const struct spec_memory_policy *m, struct plan_memory *ret, struct sl_err *err);

#endif
