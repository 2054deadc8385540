/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/plan/cpu.h"

#include "runtime/plan/process.h"

/* Documentation/scheduler/sched-bwc.rst */
#define PERIOD_US      100000
#define PERIOD_US_MIN  1000
#define PERIOD_US_MAX  1000000
#define QUOTA_US_MIN   1000

#define SHARES_OF_NONE 1024

int plan_cpu_nice(uint64_t shares)
{
	uint64_t weight = SHARES_OF_NONE * 1024;
	int nice = 0;

	if (shares > 1ULL << 20)
		return -20;
	shares *= 1024;
	/* Two steps of nice differ by the factor 1.25. The border between them is the geometric
	 * mean, the factor 1.118. */
	for (; nice > -20 && shares > weight / 1000 * 1118; nice--)
		weight = weight / 4 * 5;
	for (; nice < 19 && shares < weight / 1118 * 1000; nice++)
		weight = weight / 5 * 4;
	return nice;
}

static int read_quota(const struct spec_resources *r, struct plan_cpu *ret, struct sl_err *err)
{
	ret->period_us = r->has_cpu_period && r->cpu_period > 0 ? r->cpu_period : PERIOD_US;
	if (ret->period_us < PERIOD_US_MIN || ret->period_us > PERIOD_US_MAX)
		return sl_err_set(err, 0, "linux.resources.cpu.period: %llu is not from %d to %d",
			(unsigned long long)ret->period_us, PERIOD_US_MIN, PERIOD_US_MAX);
	/* 0 and negative values mean no quota. */
	if (!r->has_cpu_quota || r->cpu_quota <= 0)
		return 0;
	if (r->cpu_quota < QUOTA_US_MIN)
		return sl_err_set(err, 0,
			"linux.resources.cpu.quota: %lld is neither %d or more nor -1 (none)",
			(long long)r->cpu_quota, QUOTA_US_MIN);
	ret->quota_us = (uint64_t)r->cpu_quota;
	return 0;
}

int plan_cpu_build(const struct spec_resources *r, struct plan_cpu *ret, struct sl_err *err)
{
	struct plan_cpu c = { 0 };

	if (read_quota(r, &c, err) < 0)
		return -1;
	if (r->has_cpu_idle && r->cpu_idle != 0 && r->cpu_idle != 1)
		return sl_err_set(err, 0, "linux.resources.cpu.idle: %lld is neither 0 nor 1",
			(long long)r->cpu_idle);
	c.idle = r->has_cpu_idle && r->cpu_idle == 1;
	if (r->has_cpu_shares && r->cpu_shares > 0)
		c.nice = plan_cpu_nice(r->cpu_shares);
	if (r->cpus && r->cpus[0]) {
		if (plan_parse_cpus(r->cpus, &c.set, err) < 0)
			return sl_err_wrap(err, "linux.resources.cpu.cpus");
		c.has_set = true;
	}
	*ret = c;
	return 0;
}

unsigned int plan_cpu_cores(const struct plan_cpu *c)
{
	uint64_t n = c->quota_us ? (c->quota_us - 1) / c->period_us + 1 : 0;

	if (c->most && (n == 0 || c->most < n))
		n = c->most;

	return n < CPU_SETSIZE ? (unsigned int)n : CPU_SETSIZE;
}

bool plan_cpu_binds(const struct plan_cpu *c)
{
	return c->has_set || c->quota_us > 0 || c->most > 0;
}
