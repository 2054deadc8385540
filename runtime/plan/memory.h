/* SPDX-License-Identifier: Apache-2.0
 *
 * linux.memoryPolicy as set_mempolicy(2) takes it.
 */
#ifndef SANDLOCK_PLAN_MEMORY_H
#define SANDLOCK_PLAN_MEMORY_H

#include <sched.h>

#include "spec/spec.h"

struct plan_memory {
	bool set;
	int mode;        /* with its flags */
	cpu_set_t nodes; /* no kernel knows more nodes than this set has room for */
};

/* Refuses what this kernel would not take: a mode with too few or too many nodes, nodes that are
 * not there, flags that do not go together. */
int plan_memory_build(
	const struct spec_memory_policy *m, struct plan_memory *ret, struct sl_err *err);

#endif
