/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/plan/limits.h"

static uint64_t tighter(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* 0 means that the limit is not set. */
static uint64_t or_none(uint64_t v)
{
	return v ? v : UINT64_MAX;
}

int plan_limits_build(const struct spec_resources *r, const struct annotations *an,
	struct plan_limits *ret, struct sl_err *err)
{
	struct plan_limits l = {
		.memory = or_none(an->limits_memory),
		.memory_denies = an->limits_memory_mode == RULE_MEMORY_DENY,
		.tasks = or_none(an->limits_processes),
		.open_files = or_none(an->limits_open_files),
		.disk = or_none(an->limits_disk),
		.timeout_s = an->limits_timeout,
	};

	if (plan_cpu_build(r, &l.cpu, err) < 0)
		return -1;
	l.most_memory = l.memory;
	l.most_tasks = l.tasks;
	l.cpu.most = (uint32_t)an->proc_cpus;
	/* 0 and negative values mean no limit, as in runc. */
	if (r->has_pids_limit && r->pids_limit > 0)
		l.tasks = tighter(l.tasks, (uint64_t)r->pids_limit);
	/* -1 and 0 mean no limit; docker and the CRI write 0. */
	if (r->has_memory_limit && r->memory_limit > 0)
		l.memory = tighter(l.memory, (uint64_t)r->memory_limit);
	if (l.memory_denies && l.memory == UINT64_MAX)
		return sl_err_set(err, 0,
			"annotation io.sandlock.limits.memory_mode: \"deny\" without a limit: "
			"io.sandlock.limits.memory or linux.resources.memory.limit says how much");
	*ret = l;
	return 0;
}

const char *plan_limits_note(const struct plan_limits *l)
{
	return l->disk == UINT64_MAX
		       ? NULL
		       : "io.sandlock.limits.disk: the engine owns the root's files, so they are "
			 "measured from time to time while the container runs; when they exceed "
			 "the "
			 "limit the container is killed, and no call fails with ENOSPC";
}
