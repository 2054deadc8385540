/* SPDX-License-Identifier: Apache-2.0
 *
 * linux.resources.cpu (config-linux.md, "CPU") as plain numbers: on which processors, how much of
 * their time, and with what weight beside others.
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
	uint64_t quota_us;  /* of processor time in each period; 0: no limit */
	uint64_t period_us; /* of real time; 100 ms where the bundle says none */
	uint32_t most;      /* processors (io.sandlock.proc.cpus); 0: no limit */
	int nice;           /* shares, as a nice value (sched(7)); 0: the share of who has none */
	bool idle;          /* SCHED_IDLE */
};

/* What a cgroup would refuse as well is refused. */
int plan_cpu_build(const struct spec_resources *r, struct plan_cpu *ret, struct sl_err *err);

/* How many processors there are at most, by the quota, a fraction rounded up, and by `most`; 0: no
 * limit. */
unsigned int plan_cpu_cores(const struct plan_cpu *c);

/* Whether there are processors that the container must not run on. */
bool plan_cpu_binds(const struct plan_cpu *c);

/* As cpu.shares of a cgroup compares with 1024: a step of nice is a quarter. */
int plan_cpu_nice(uint64_t shares);

#endif
