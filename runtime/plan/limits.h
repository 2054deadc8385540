/* SPDX-License-Identifier: Apache-2.0
 *
 * The limits of a container: linux.resources (config-linux.md, "Control groups") and the
 * annotations io.sandlock.limits.* as plain numbers. If both set a limit, the smaller one counts:
 * an annotation never raises a limit of the bundle's resources.
 */
#ifndef SANDLOCK_PLAN_LIMITS_H
#define SANDLOCK_PLAN_LIMITS_H

#include "annotations/annotations.h"
#include "runtime/base/err.h"
#include "runtime/plan/cpu.h"
#include "spec/spec.h"

struct plan_limits {
	uint64_t memory;     /* bytes; UINT64_MAX: no limit */
	bool memory_denies;  /* above the limit allocations fail; otherwise a process is killed */
	uint64_t tasks;      /* processes and threads at the same time; UINT64_MAX: no limit */
	uint64_t open_files; /* of each process (RLIMIT_NOFILE); UINT64_MAX: no limit */
	uint64_t disk;       /* bytes of the root's layer on disk; UINT64_MAX: no limit */
	struct plan_cpu cpu;
	/* The limits of the annotations alone, which an update cannot exceed. */
	uint64_t most_memory;
	uint64_t most_tasks;
	uint64_t timeout_s; /* seconds from the start of the main process; 0: none */
};

/* How the limit of disk is enforced, for the log; NULL: there is none. */
const char *plan_limits_note(const struct plan_limits *l);

int plan_limits_build(const struct spec_resources *r, const struct annotations *an,
	struct plan_limits *ret, struct sl_err *err);

#endif
