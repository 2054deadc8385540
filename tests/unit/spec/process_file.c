/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of `exec --process` and `update --resources`.
 */
#include "tests/unit/spec/spec_test.h"

static int load(struct arena *a, const char *text, struct spec_process *p, struct sl_err *err)
{
	return spec_load_process(a, text, strlen(text), p, err);
}

static int load_res(struct arena *a, const char *text, struct spec_resources *r, struct sl_err *err)
{
	return spec_load_resources(a, text, strlen(text), r, err);
}

int main(void)
{
	auto_arena struct arena *a = arena_new();
	struct spec_resources r = { 0 };
	struct spec_process p = { 0 };
	struct sl_err err;

	CHECK(load(a, GOOD_PROCESS, &p, &err) == 0 && p.uid == 1 && p.n_env == 4);
	CHECK_ERR_CONTAINS(load(a, "{\"cwd\":\"/\",\"args\":[]}", &p, &err), err,
		"process.args: args must not be empty");
	CHECK_ERR_CONTAINS(load(a, "7", &p, &err), err, "process: expected object, got number");
	CHECK_ERR_CONTAINS(load(a, "{", &p, &err), err, "process: line 1");
	CHECK(load(a,
		      "{\"cwd\":\"/\",\"args\":[\"x\"],\"scheduler\":{\"policy\":\"SCHED_IDLE\","
		      "\"nice\":-3,\"flags\":[\"SCHED_FLAG_RESET_ON_FORK\"]},"
		      "\"ioPriority\":{\"class\":\"IOPRIO_CLASS_BE\",\"priority\":7},"
		      "\"consoleSize\":{\"height\":24,\"width\":80},\"apparmorProfile\":\"\"}",
		      &p, &err) == 0);
	CHECK(p.scheduler.set && p.scheduler.policy == 5 && p.scheduler.nice == -3);
	CHECK(p.scheduler.flags == 1 && p.io_priority.class_ == 2 && p.io_priority.priority == 7);
	CHECK(p.console_height == 24 && p.console_width == 80 && p.apparmor_profile == NULL);
	CHECK_ERR_CONTAINS(
		load(a, "{\"cwd\":\"/\",\"args\":[\"x\"],\"ioPriority\":{\"class\":\"BE\"}}", &p,
			&err),
		err, "process.ioPriority.class: unknown I/O class \"BE\"");

	/* Members that only cgroups know must not stop an update. */
	CHECK(load_res(a, "{\"memory\":{\"limit\":5},\"unified\":{\"a\":\"b\"}}", &r, &err) == 0);
	CHECK(r.has_memory_limit && r.memory_limit == 5 && !r.has_cpu_quota);
	CHECK_ERR_CONTAINS(load_res(a, "{\"pids\":{\"limit\":\"x\"}}", &r, &err), err,
		"resources.pids.limit: expected number, got string");
	return check_done();
}
