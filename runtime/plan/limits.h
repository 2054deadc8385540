/* SPDX-License-Identifier: Apache-2.0
 *
 * What a container may use at most: linux.resources (config-linux.md, "Control groups") and the
 * io.sandlock.limits.* annotations as plain numbers. Where both name a limit the smaller one
 * counts: an annotation never widens what the bundle's resources say.
 */
#ifndef SANDLOCK_PLAN_LIMITS_H
#define SANDLOCK_PLAN_LIMITS_H

#include "annotations/annotations.h"
#include "runtime/base/err.h"
#include "runtime/plan/cpu.h"
#include "spec/spec.h"

struct plan_limits {
	uint64_t memory;     /* bytes; UINT64_MAX: no limit */
	bool memory_denies;  /* no process gets more of its own; otherwise it is killed */
	uint64_t tasks;      /* processes and threads at a time; UINT64_MAX: no limit */
	uint64_t open_files; /* of each process (RLIMIT_NOFILE); UINT64_MAX: no limit */
	struct plan_cpu cpu;
	/* Of the annotations alone: what an update may not go beyond. */
	uint64_t most_memory;
	uint64_t most_tasks;
	uint64_t timeout_s; /* from the start of the main process; 0: none */
};

int plan_limits_build(const struct spec_resources *r, const struct annotations *an,
	struct plan_limits *ret, struct sl_err *err);

#endif
