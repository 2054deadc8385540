/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles drawn by lot: every number and many arguments get the answer that the rules give
 * when they are read one by one. With one rule a call libseccomp is asked too. (With
 * several, its 2.5.4 gives wrong answers. Above the newest name ours says ENOSYS, on
 * purpose.)
 */
#include <seccomp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/seccomp/bpf.h"
#include "runtime/seccomp/bpf_run.h"
#include "runtime/seccomp/profile.h"
#include "runtime/seccomp/syscalls.h"
#include "tests/helpers/scmp.h"
#include "tests/unit/check.h"

#define MAX_RULES  40
#define MAX_NUMBER 334 /* what every libseccomp in use knows */
#define N_PROFILES 300
#define N_TRIES    12

struct drawn {
	struct spec_seccomp seccomp;
	struct spec_seccomp_rule rules[MAX_RULES];
	struct spec_seccomp_arg args[MAX_RULES][3];
	char *names[MAX_RULES];
	int nrs[MAX_RULES];
};

static uint64_t state = 88172645463325252ULL;

static uint64_t draw(uint64_t below)
{
	if (below == 0)
		return 0;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

/* Few different values, with the same upper or lower half, so that boundaries are met. */
static uint64_t draw_value(void)
{
	static const uint64_t halves[] = { 0, 1, 2, 5, 0x7fffffff, 0x80000000, 0xfffffffe,
		0xffffffff };

	return halves[draw(8)] << 32 | halves[draw(8)];
}

static bool is_drawn(const struct drawn *d, size_t n, int nr)
{
	for (size_t i = 0; i < n; i++)
		if (d->nrs[i] == nr)
			return true;
	return false;
}

static void draw_rule(struct drawn *d, size_t i, bool several)
{
	struct spec_seccomp_rule *rule = &d->rules[i];
	unsigned int index = (unsigned int)draw(2);

	do
		d->nrs[i] = (int)draw(MAX_NUMBER);
	while (!syscall_row(d->nrs[i]) || is_drawn(d, i, d->nrs[i]));
	if (several && i && draw(3))
		d->nrs[i] = d->nrs[i - 1];
	d->names[i] = (char *)syscall_row(d->nrs[i])->name;
	*rule = (struct spec_seccomp_rule){
		.names = &d->names[i],
		.n_names = 1,
		.action = (char *)"SCMP_ACT_ERRNO",
		.has_errno_ret = true,
		.errno_ret = (uint32_t)i + 100,
		.args = d->args[i],
		.n_args = draw(4) ? draw(3) : 0,
	};
	for (size_t j = 0; j < rule->n_args; j++)
		d->args[i][j] = (struct spec_seccomp_arg){
			.index = index + (unsigned int)j * 2,
			.value = draw_value(),
			.value_two = draw_value(),
			.op = (enum spec_seccomp_op)draw(SPEC_SECCOMP_MASKED_EQ + 1),
		};
}

static void draw_profile(struct drawn *d, bool several)
{
	*d = (struct drawn){ .seccomp = { .set = true, .rules = d->rules } };
	d->seccomp.default_action = (char *)(draw(2) ? "SCMP_ACT_ALLOW" : "SCMP_ACT_TRAP");
	d->seccomp.n_rules = 1 + draw(MAX_RULES);
	for (size_t i = 0; i < d->seccomp.n_rules; i++)
		draw_rule(d, i, several);
}

static uint32_t default_of(const struct drawn *d)
{
	return strcmp(d->seccomp.default_action, "SCMP_ACT_ALLOW") == 0 ? SCMP_ACT_ALLOW
									: SCMP_ACT_TRAP;
}

static bool holds(const struct spec_seccomp_arg *arg, uint64_t v)
{
	switch (arg->op) {
	case SPEC_SECCOMP_NE: return v != arg->value;
	case SPEC_SECCOMP_LT: return v < arg->value;
	case SPEC_SECCOMP_LE: return v <= arg->value;
	case SPEC_SECCOMP_EQ: return v == arg->value;
	case SPEC_SECCOMP_GE: return v >= arg->value;
	case SPEC_SECCOMP_GT: return v > arg->value;
	case SPEC_SECCOMP_MASKED_EQ: return (v & arg->value) == (arg->value_two & arg->value);
	}
	return false;
}

/* The first rule without conditions, else the first whose conditions hold. */
static uint32_t read_rules(const struct drawn *d, const struct seccomp_data *data)
{
	uint32_t held = default_of(d);
	bool any = false;

	for (size_t i = 0; i < d->seccomp.n_rules; i++) {
		const struct spec_seccomp_rule *rule = &d->rules[i];
		bool all = true;

		if (d->nrs[i] != data->nr)
			continue;
		if (!rule->n_args)
			return SCMP_ACT_ERRNO(rule->errno_ret);
		for (size_t j = 0; j < rule->n_args; j++)
			all &= holds(&rule->args[j], data->args[rule->args[j].index]);
		if (all && !any)
			held = SCMP_ACT_ERRNO(rule->errno_ret);
		any |= all;
	}
	return held;
}

static size_t compile_theirs(const struct drawn *d, struct sock_filter *insns)
{
	scmp_filter_ctx ctx = seccomp_init(default_of(d));
	auto_fd int fd = memfd_create("theirs", MFD_CLOEXEC);
	ssize_t n;

	for (size_t i = 0; i < d->seccomp.n_rules; i++) {
		const struct spec_seccomp_rule *rule = &d->rules[i];
		struct scmp_arg_cmp cmp[3];
		int r;

		for (size_t j = 0; j < rule->n_args; j++)
			cmp[j] = scmp_condition(&rule->args[j]);
		r = seccomp_rule_add_array(ctx, SCMP_ACT_ERRNO(rule->errno_ret), d->nrs[i],
			(unsigned int)rule->n_args, cmp);
		if (r < 0)
			CHECK_NOT_REACHED("libseccomp takes the rule");
	}
	if (seccomp_export_bpf(ctx, fd) < 0)
		CHECK_NOT_REACHED("libseccomp exports");
	seccomp_release(ctx);
	n = pread(fd, insns, BPF_MAXINSNS * sizeof(*insns), 0);
	return n < 0 ? 0 : (size_t)n / sizeof(*insns);
}

static uint64_t near_value(const struct drawn *d)
{
	const struct spec_seccomp_arg *arg = &d->args[draw(d->seccomp.n_rules)][draw(2)];

	return draw(2) ? arg->value + draw(3) - 1 : draw_value();
}

/* theirs: NULL when libseccomp is not asked. */
static bool same_answers(const struct drawn *d, const struct profile *ours,
	const struct sock_filter *theirs, size_t n_theirs)
{
	int newest = 0;

	for (size_t i = 0; i < d->seccomp.n_rules; i++)
		newest = d->nrs[i] > newest ? d->nrs[i] : newest;
	for (int i = 0; i < (newest + 1) * N_TRIES; i++) {
		struct seccomp_data data = { .nr = i / N_TRIES, .arch = BPF_NATIVE_ARCH };
		uint32_t here, there, want;

		for (size_t j = 0; j < 6; j++)
			data.args[j] = near_value(d);
		want = read_rules(d, &data);
		here = bpf_run(ours->insns, ours->n, &data).action;
		there = theirs ? bpf_run(theirs, n_theirs, &data).action : want;
		if (here == want && there == want)
			continue;
		printf("# %d(%#llx, %#llx, …): %#x here, %#x there, expected %#x\n", data.nr,
			(unsigned long long)data.args[0], (unsigned long long)data.args[1], here,
			there, want);
		return false;
	}
	return true;
}

int main(void)
{
	static struct sock_filter theirs[BPF_MAXINSNS];
	static struct drawn d;

	for (int i = 0; i < N_PROFILES; i++) {
		auto_arena struct arena *a = arena_new();
		struct profile ours = { .n = 0 };
		struct sl_err err = { .code = 0 };
		bool several = i % 2;
		size_t n_theirs = 0;

		draw_profile(&d, several);
		if (profile_compile(a, &d.seccomp, &ours, &err) < 0) {
			printf("# %s\n", err.msg);
			CHECK_NOT_REACHED("compiles");
			continue;
		}
		if (!several)
			n_theirs = compile_theirs(&d, theirs);
		CHECK(same_answers(&d, &ours, several ? NULL : theirs, n_theirs));
	}
	return check_done();
}
