/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions: every operator at its boundary with 64-bit values, several conditions of one
 * rule, several rules for one call; also with so many rules that libseccomp builds a tree.
 */
#include <errno.h>
#include <stdlib.h>

#include "runtime/seccomp/bpf.h"
#include "runtime/seccomp/bpf_run.h"
#include "tests/unit/seccomp/profile_run.h"

#define BIG 0x500000005ULL

static const struct {
	enum spec_seccomp_op op;
	uint64_t value;
	uint64_t value_two;
	uint64_t hits[3];
	uint64_t misses[3];
} operators[] = {
	{ SPEC_SECCOMP_EQ, BIG, 0, { BIG, BIG, BIG }, { 5, BIG + 1, 0x500000000 } },
	{ SPEC_SECCOMP_NE, BIG, 0, { 5, BIG + 1, 0x500000000 }, { BIG, BIG, BIG } },
	{ SPEC_SECCOMP_LT, BIG, 0, { 0, BIG - 1, 0x4ffffffff }, { BIG, BIG + 1, UINT64_MAX } },
	{ SPEC_SECCOMP_LE, BIG, 0, { 0, BIG, 0x4ffffffff }, { BIG + 1, 0x600000000, UINT64_MAX } },
	{ SPEC_SECCOMP_GE, BIG, 0, { BIG, 0x600000000, UINT64_MAX }, { 0, 6, BIG - 1 } },
	{ SPEC_SECCOMP_GT, BIG, 0, { BIG + 1, 0x600000000, UINT64_MAX }, { 0, 6, BIG } },
	{ SPEC_SECCOMP_MASKED_EQ, 0xf0000000fULL, 0x500000005ULL,
		{ BIG, BIG | 0xf0, 0xff500000ff5 }, { 5, 0x500000000, BIG | 2 } },
};

static struct spec_seccomp_rule filler[60];

/* Other rules around, so that the tree is built: each names a call of its own. */
static size_t fill(struct spec_seccomp_rule *rules, bool many)
{
	static char *names[] = { "mkdir", "rmdir", "chmod", "chown", "link", "unlink", "symlink",
		"rename", "mknod", "umask", "sync", "alarm", "pause", "getpgrp", "setsid", "times",
		"sysinfo", "ustat", "sysfs", "flock", "fsync", "fdatasync", "truncate", "ftruncate",
		"getcwd", "chdir", "fchdir", "readlink", "access", "creat", "lchown", "fchown",
		"utime", "utimes", "statfs", "fstatfs", "mlock", "munlock", "acct", "syslog" };
	size_t n = many ? sizeof(names) / sizeof(names[0]) : 0;

	for (size_t i = 0; i < n; i++)
		rules[i] = (struct spec_seccomp_rule){ .names = &names[i],
			.n_names = 1,
			.action = "SCMP_ACT_ERRNO",
			.has_errno_ret = true,
			.errno_ret = 1000 + (uint32_t)i };
	return n;
}

static uint32_t answer(const struct profile *p, uint64_t first, uint64_t second)
{
	const struct seccomp_data data = {
		.nr = SYS_personality, .arch = BPF_NATIVE_ARCH, .args = { first, second }
	};

	return bpf_run(p->insns, p->n, &data).action;
}

static struct profile with_rules(
	struct arena *a, const struct spec_seccomp_rule *extra, size_t n_extra, bool many)
{
	struct spec_seccomp s = {
		.set = true, .default_action = "SCMP_ACT_ERRNO", .rules = filler
	};
	struct profile p = { .n = 0 };
	struct sl_err err = { .code = 0 };

	s.n_rules = fill(filler, many);
	memcpy(&filler[s.n_rules], extra, n_extra * sizeof(*extra));
	s.n_rules += n_extra;
	if (!CHECK(profile_compile(a, &s, &p, &err) == 0))
		printf("# %s\n", err.msg);
	return p;
}

static void check_operators(struct arena *a, bool many)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		struct spec_seccomp_arg arg = { 1, operators[i].value, operators[i].value_two,
			operators[i].op };
		const struct spec_seccomp_rule rule = { NAMES("personality"),
			.action = "SCMP_ACT_ALLOW", .args = &arg, .n_args = 1 };
		struct profile p = with_rules(a, &rule, 1, many);

		for (size_t j = 0; j < 3; j++) {
			CHECK(answer(&p, 0, operators[i].hits[j]) == SECCOMP_RET_ALLOW);
			CHECK(answer(&p, 0, operators[i].misses[j]) == (SECCOMP_RET_ERRNO | EPERM));
		}
	}
}

static void check_combinations(struct arena *a, bool many)
{
	const struct spec_seccomp_rule both[] = {
		{ NAMES("personality"), .action = "SCMP_ACT_ALLOW",
			ARGS({ 0, 7, 0, SPEC_SECCOMP_EQ }, { 1, 9, 0, SPEC_SECCOMP_GT }) },
	};
	const struct spec_seccomp_rule either[] = {
		{ NAMES("personality"), .action = "SCMP_ACT_ALLOW",
			ARGS({ 0, 0, 0, SPEC_SECCOMP_EQ }) },
		{ NAMES("personality"), .action = "SCMP_ACT_ALLOW",
			ARGS({ 0, 8, 0, SPEC_SECCOMP_EQ }) },
		{ NAMES("personality"), .action = "SCMP_ACT_ALLOW",
			ARGS({ 0, 0xffffffff, 0, SPEC_SECCOMP_EQ }) },
		{ NAMES("personality"), .action = "SCMP_ACT_ALLOW",
			ARGS({ 0, 8, 0, SPEC_SECCOMP_EQ }) }, /* again */
	};
	const struct spec_seccomp_rule same[] = {
		{ NAMES("personality"), .action = "SCMP_ACT_ALLOW",
			ARGS({ 0, 3, 0, SPEC_SECCOMP_EQ }, { 0, 4, 0, SPEC_SECCOMP_EQ }) },
	};
	struct profile p = with_rules(a, both, 1, many);

	CHECK(answer(&p, 7, 10) == SECCOMP_RET_ALLOW);
	CHECK(answer(&p, 7, 9) != SECCOMP_RET_ALLOW);
	CHECK(answer(&p, 8, 10) != SECCOMP_RET_ALLOW);
	p = with_rules(a, either, 4, many);
	CHECK(answer(&p, 0, 0) == SECCOMP_RET_ALLOW);
	CHECK(answer(&p, 8, 0) == SECCOMP_RET_ALLOW);
	CHECK(answer(&p, 0xffffffff, 0) == SECCOMP_RET_ALLOW);
	CHECK(answer(&p, 4, 0) == (SECCOMP_RET_ERRNO | EPERM));
	p = with_rules(a, same, 1, many);
	CHECK(answer(&p, 3, 0) == SECCOMP_RET_ALLOW && answer(&p, 4, 0) == SECCOMP_RET_ALLOW);
	CHECK(answer(&p, 5, 0) == (SECCOMP_RET_ERRNO | EPERM));
}

/* In a real child: three allowed values, the fourth is refused. */
static void check_child(struct arena *a)
{
	const struct spec_seccomp_rule rules[] = {
		{ NAMES("personality"), .action = "SCMP_ACT_ALLOW",
			ARGS({ 0, 0, 0, SPEC_SECCOMP_EQ }) },
		{ NAMES("personality"), .action = "SCMP_ACT_ALLOW",
			ARGS({ 0, 8, 0, SPEC_SECCOMP_EQ }) },
		{ NAMES("personality"), .action = "SCMP_ACT_ALLOW",
			ARGS({ 0, 0xffffffff, 0, SPEC_SECCOMP_EQ }) },
		{ NAMES("exit", "exit_group"), .action = "SCMP_ACT_ALLOW" },
	};
	struct profile p = with_rules(a, rules, 4, false);

	CHECK(profile_try(&p, SYS_personality, 0, 0, 0) == 0);
	CHECK(profile_try(&p, SYS_personality, 8, 0, 0) == 0);
	CHECK(profile_try(&p, SYS_personality, 0xffffffff, 0, 0) == 0);
	CHECK(profile_try(&p, SYS_personality, 0x20000, 0, 0) == EPERM);
}

int main(void)
{
	auto_arena struct arena *a = arena_new();

	for (int many = 0; many < 2; many++) {
		check_operators(a, many);
		check_combinations(a, many);
	}
	check_child(a);
	return check_done();
}
