/* SPDX-License-Identifier: Apache-2.0
 *
 * New limits go to the supervisor. The whole document is read and checked, so that a mistake is
 * reported. Limits that only a cgroup could enforce change nothing, as at `create`.
 */
#include "runtime/container/container.h"

#include "runtime/plan/cpu.h"

/* 0 means "no change", as in CONTROL_UPDATE: docker and the CRI write 0 for what they do not
 * change. */
static uint64_t asked_of(bool has, int64_t limit)
{
	if (!has || limit == 0)
		return 0;
	return limit < 0 ? UINT64_MAX : (uint64_t)limit;
}

/* The same for processors: 0 and "" mean "no change", but idle has a value 0 and is set if
 * present. */
static int ask_cpu(const struct spec_resources *r, struct control_request *ret, struct sl_err *err)
{
	struct plan_cpu cpu;

	if (plan_cpu_build(r, &cpu, err) < 0)
		return -1;
	ret->cpu_quota_us = cpu.quota_us;
	ret->cpu_period_us = cpu.period_us;
	ret->cpu_set = cpu.set;
	ret->cpu_nice = cpu.nice;
	ret->cpu_idle = cpu.idle;
	ret->cpu_fields = (cpu.has_set ? CONTROL_CPU_SET : 0) |
			  (r->has_cpu_quota && r->cpu_quota != 0 ? CONTROL_CPU_QUOTA : 0) |
			  (r->has_cpu_period && r->cpu_period != 0 ? CONTROL_CPU_PERIOD : 0) |
			  (r->has_cpu_shares && r->cpu_shares != 0 ? CONTROL_CPU_NICE : 0) |
			  (r->has_cpu_idle ? CONTROL_CPU_IDLE : 0);
	return 0;
}

int container_update(
	const struct runtime *rt, const struct container_update *req, struct sl_err *err)
{
	struct control_request change = { .type = CONTROL_UPDATE };
	struct spec_resources r = { 0 };
	auto_container struct container c = CONTAINER_NONE;
	struct control_reply reply;

	if (req->resources &&
		spec_load_resources(rt->arena, req->resources, req->n_resources, &r, err) < 0)
		return -1;
	change.memory_limit = asked_of(r.has_memory_limit, r.memory_limit);
	change.tasks_limit = asked_of(r.has_pids_limit, r.pids_limit);
	if (ask_cpu(&r, &change, err) < 0)
		return -1;
	if (container_open(rt, req->id, CONTAINER_READ, &c, err) < 0 ||
		container_need_alive(&c, err) < 0)
		return -1;
	return control_call(c.dir_fd, &change, &reply, err);
}
