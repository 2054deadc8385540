/* SPDX-License-Identifier: Apache-2.0
 *
 * The search tree gives each number the verdict of its row; what passes whatever its
 * arguments is decided without looking at one, so that the kernel can skip the filter; and
 * no path is long.
 */
#include "runtime/confine/filter.h"
#include "runtime/seccomp/bpf.h"
#include "runtime/seccomp/bpf_run.h"
#include "runtime/seccomp/syscalls.h"
#include "tests/unit/check.h"

#define MAX_STEPS_PLAIN 20
#define MAX_STEPS_RULE  40

static struct sock_filter insns[FILTER_MAX];
static size_t n;

static struct bpf_answer run(uint32_t arch, uint32_t nr)
{
	const struct seccomp_data data = { .nr = (int)nr, .arch = arch };

	return bpf_run(insns, n, &data);
}

static uint32_t plain_action(const struct syscall_row *row)
{
	if (!row || row->verdict == VERDICT_ABSENT)
		return SECCOMP_RET_ERRNO | ENOSYS;
	return row->verdict == VERDICT_ALLOW ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | EPERM;
}

static void check_number(int nr)
{
	const struct syscall_row *row = syscall_row(nr);
	struct bpf_answer s = run(BPF_NATIVE_ARCH, (uint32_t)nr);
	bool good;

	if (!row || row->verdict <= VERDICT_ABSENT)
		good = s.action == plain_action(row) && !s.saw_args && s.steps <= MAX_STEPS_PLAIN;
	else
		good = s.action != BPF_RUN_BROKEN && s.steps <= MAX_STEPS_RULE;
	if (!good) {
		printf("# %d: action %#x after %u steps\n", nr, s.action, s.steps);
		CHECK_NOT_REACHED("the verdict of the row");
	}
}

static void check_foreign(void)
{
	static const uint32_t foreign[] = { AUDIT_ARCH_I386, AUDIT_ARCH_ARM, 0, UINT32_MAX };

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		for (uint32_t nr = 0; nr < 512; nr++)
			if (run(foreign[i], nr).action != SECCOMP_RET_KILL_PROCESS)
				CHECK_NOT_REACHED("a foreign architecture is killed");
#ifdef BPF_X32_BIT
	for (uint32_t nr = 0; nr < 1024; nr++)
		if (run(BPF_NATIVE_ARCH, BPF_X32_BIT | nr).action != SECCOMP_RET_KILL_PROCESS)
			CHECK_NOT_REACHED("x32 is killed");
	CHECK(run(BPF_NATIVE_ARCH, 0x80000000U).action == SECCOMP_RET_KILL_PROCESS);
	CHECK(run(BPF_NATIVE_ARCH, 0xfffffffeU).action == SECCOMP_RET_KILL_PROCESS);
	CHECK(run(BPF_NATIVE_ARCH, UINT32_MAX).action == SECCOMP_RET_ALLOW);
	CHECK(run(BPF_NATIVE_ARCH, 0x3fffffffU).action == (SECCOMP_RET_ERRNO | ENOSYS));
#endif
}

static void check_params(struct filter_params p)
{
	struct sl_err err;

	CHECK(filter_build(&p, insns, FILTER_MAX, &n, &err) == 0);
	printf("# %zu instructions\n", n);
	for (int nr = 0; nr <= 2000; nr++)
		check_number(nr);
	check_foreign();
}

int main(void)
{
	const struct filter_params closed = {
		.supervisor = 100, .init = 101, .init_thread = 102, .init_fetcher = 103
	};
	const struct filter_params open = { 100, 101, 102, 103, true, false, true, true, false,
		true, true, true, true, true, true, true, true, true, true, true, true, true,
		true };
	struct filter_params bad = closed;
	struct sl_err err;

	check_params(closed);
	check_params(open);

	n = 77;
	bad.init_thread = 0;
	CHECK_ERR_CONTAINS(filter_build(&bad, insns, FILTER_MAX, &n, &err), err, "not known");
	bad.init_thread = -1;
	CHECK_ERR_CONTAINS(filter_build(&bad, insns, FILTER_MAX, &n, &err), err, "not known");
	CHECK_ERR_CONTAINS(filter_build(&closed, insns, 60, &n, &err), err, "60 instructions");
	CHECK(n == 77);
	return check_done();
}
