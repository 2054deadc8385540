/* SPDX-License-Identifier: Apache-2.0
 *
 * linux.resources.cpu (config-linux.md, "CPU") as plain numbers: the CPUs, the share of their time,
 * and the weight compared with others.
 */
#ifndef SANDLOCK_PLAN_CPU_H
#define SANDLOCK_PLAN_CPU_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/err.h"
#include "spec/spec.h"

/* All zeros: no limit. */
struct plan_cpu {
	bool has_set;
	cpu_set_t set;      /* cpus */
	uint64_t quota_us;  /* of CPU time in each period; 0: no limit */
	uint64_t period_us; /* of real time; 100 ms if the bundle has none */
	uint32_t most;      /* number of CPUs (io.sandlock.proc.cpus); 0: no limit */
	int nice;           /* shares, as a nice value (sched(7)); 0: the default */
	bool idle;          /* SCHED_IDLE */
};

/* Refuses what a cgroup would refuse too. */
int plan_cpu_build(const struct spec_resources *r, struct plan_cpu *ret, struct sl_err *err);

/* The largest number of CPUs: the smaller one of the quota, rounded up, and `most`; 0: no limit. */
unsigned int plan_cpu_cores(const struct plan_cpu *c);

/* Whether the container must not run on some of the CPUs. */
bool plan_cpu_binds(const struct plan_cpu *c);

/* Converts cpu.shares of a cgroup, whose default is 1024, to a nice value. One step of nice is a
 * factor of 1.25. */
int plan_cpu_nice(uint64_t shares);

#endif
