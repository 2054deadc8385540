/* SPDX-License-Identifier: Apache-2.0
 *
 * The seccomp profiles of bundles, compiled here and by libseccomp in the way that runc asks it to
 * (libcontainer/seccomp): the same answer to every number of this architecture, with arguments
 *around the values that the conditions name. Above the newest name of a profile that denies by
 *default both say ENOSYS; libseccomp's part of that is runc's own, so it is a rule here.
 *
 *	profilecmp CONFIG.JSON...	prints TAP, a line for each
 */
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/confine/filter.h"
#include "runtime/seccomp/bpf.h"
#include "runtime/seccomp/bpf_run.h"
#include "runtime/seccomp/profile.h"
#include "runtime/seccomp/syscalls.h"
#include "tests/helpers/scmp.h"

#define NUMBERS    600 /* beyond the newest of any architecture */
#define N_ARGS     6
#define MAX_VALUES 128

struct compared {
	const struct spec_seccomp *seccomp;
	struct profile ours;
	struct sock_filter theirs[BPF_MAXINSNS];
	size_t n_theirs;
	int newest;  /* number that the profile names */
	int unknown; /* names that neither knows */
	unsigned long answers;
};

/* libseccomp's number, which is negative for a call of other architectures; or ours for what is
 * newer than this libseccomp. __NR_SCMP_ERROR: neither knows the name. */
static int number_of(const char *name)
{
	int nr = seccomp_syscall_resolve_name(name);
	const struct syscall_row *row = nr == __NR_SCMP_ERROR ? syscall_row_by_name(name) : NULL;

	return row ? row->nr : nr;
}

static uint32_t action_of(const char *name, bool has_errno, uint32_t code)
{
	if (strcmp(name, "SCMP_ACT_ALLOW") == 0)
		return SCMP_ACT_ALLOW;
	if (strcmp(name, "SCMP_ACT_ERRNO") == 0)
		return SCMP_ACT_ERRNO(has_errno ? code : EPERM);
	fprintf(stderr, "profilecmp: %s is in no profile that this was written for\n", name);
	exit(2);
}

static uint32_t default_of(const struct spec_seccomp *s)
{
	return action_of(s->default_action, s->has_default_errno_ret, s->default_errno_ret);
}

/* Conditions on one argument are alternatives for runc: each is added as a rule. */
static int add_rule(
	scmp_filter_ctx ctx, const struct spec_seccomp_rule *rule, uint32_t action, int nr)
{
	struct scmp_arg_cmp cmp[N_ARGS];
	unsigned int seen = 0;
	bool repeated = false;
	int rc = 0;

	for (size_t i = 0; i < rule->n_args && i < N_ARGS; i++) {
		cmp[i] = scmp_condition(&rule->args[i]);
		repeated |= seen & 1U << cmp[i].arg;
		seen |= 1U << cmp[i].arg;
	}
	if (!repeated)
		return seccomp_rule_add_array(ctx, action, nr, (unsigned int)rule->n_args, cmp);
	for (size_t i = 0; i < rule->n_args && rc == 0; i++)
		rc = seccomp_rule_add_array(ctx, action, nr, 1, &cmp[i]);
	return rc;
}

static int add_names(scmp_filter_ctx ctx, const struct spec_seccomp_rule *rule, struct compared *c)
{
	uint32_t action = action_of(rule->action, rule->has_errno_ret, rule->errno_ret);

	for (size_t i = 0; i < rule->n_names; i++) {
		int nr = number_of(rule->names[i]);

		if (nr == __NR_SCMP_ERROR) {
			c->unknown++;
			continue;
		}
		if (nr > c->newest)
			c->newest = nr;
		if (action != default_of(c->seccomp) && add_rule(ctx, rule, action, nr) < 0) {
			printf("# libseccomp does not take a rule for %s\n", rule->names[i]);
			return -1;
		}
	}
	return 0;
}

static int compile_theirs(struct compared *c)
{
	scmp_filter_ctx ctx = seccomp_init(default_of(c->seccomp));
	auto_fd int fd = memfd_create("theirs", MFD_CLOEXEC);
	ssize_t n = -1;
	int rc = 0;

	for (size_t i = 0; i < c->seccomp->n_rules && rc == 0; i++)
		rc = add_names(ctx, &c->seccomp->rules[i], c);
	if (rc == 0 && seccomp_export_bpf(ctx, fd) == 0)
		n = pread(fd, c->theirs, sizeof(c->theirs), 0);
	seccomp_release(ctx);
	c->n_theirs = n < 0 ? 0 : (size_t)n / sizeof(c->theirs[0]);
	return n > 0 ? 0 : -1;
}

/* What is worth trying as this argument of this call. */
static size_t values_of(const struct compared *c, int nr, size_t index, uint64_t *values)
{
	size_t n = 0;

	values[n++] = 0;
	values[n++] = UINT64_MAX;
	for (size_t i = 0; i < c->seccomp->n_rules; i++) {
		const struct spec_seccomp_rule *rule = &c->seccomp->rules[i];
		bool named = false;

		for (size_t j = 0; j < rule->n_names; j++)
			named |= number_of(rule->names[j]) == nr;
		for (size_t j = 0; named && j < rule->n_args; j++) {
			const struct spec_seccomp_arg *arg = &rule->args[j];
			const uint64_t near[] = { arg->value, arg->value - 1, arg->value + 1,
				~arg->value, arg->value & -arg->value, arg->value | 1ULL << 32,
				arg->value << 32, arg->value_two, arg->value_two | ~arg->value };

			for (size_t k = 0;
				arg->index == index && k < sizeof(near) / sizeof(near[0]); k++)
				if (n < MAX_VALUES)
					values[n++] = near[k];
		}
	}
	return n;
}

static bool same(struct compared *c, const struct seccomp_data *data)
{
	uint32_t deny = default_of(c->seccomp);
	uint32_t here = bpf_run(c->ours.insns, c->ours.n, data).action;
	uint32_t there = bpf_run(c->theirs, c->n_theirs, data).action;

	if (data->nr > c->newest && deny != SCMP_ACT_ALLOW)
		there = SCMP_ACT_ERRNO(ENOSYS);
	c->answers++;
	if (here == there)
		return true;
	printf("# %d(%#llx, %#llx, %#llx): %#x here, %#x there\n", data->nr,
		(unsigned long long)data->args[0], (unsigned long long)data->args[1],
		(unsigned long long)data->args[2], here, there);
	return false;
}

/* No published profile has conditions on two arguments beyond the third. */
static bool same_number(struct compared *c, int nr)
{
	struct seccomp_data data = { .nr = nr, .arch = BPF_NATIVE_ARCH };
	uint64_t values[3][MAX_VALUES];
	size_t n[3];

	for (size_t i = 0; i < 3; i++)
		n[i] = values_of(c, nr, i, values[i]);
	for (size_t i = 0; i < n[0] * n[1] * n[2]; i++) {
		data.args[0] = values[0][i % n[0]];
		data.args[1] = values[1][i / n[0] % n[1]];
		data.args[2] = values[2][i / n[0] / n[1]];
		if (!same(c, &data))
			return false;
	}
	return true;
}

/* Whatever a profile says of them: the default filter ends who calls by another architecture's
 * numbers, and of two filters' answers the kernel takes the sharper. */
static bool foreign_end(void)
{
	static const uint32_t archs[] = { AUDIT_ARCH_I386, AUDIT_ARCH_ARM, BPF_NATIVE_ARCH };
	const struct filter_params params = {
		.supervisor = 2, .init = 3, .init_thread = 4, .init_fetcher = 5
	};
	static struct sock_filter insns[FILTER_MAX];
	struct sl_err err;
	size_t n = 0;

	if (filter_build(&params, insns, FILTER_MAX, &n, &err) < 0)
		return false;
	for (size_t i = 0; i < sizeof(archs) / sizeof(archs[0]); i++)
		for (int nr = 0; nr < NUMBERS; nr++) {
			struct seccomp_data data = { .nr = nr, .arch = archs[i] };

			if (archs[i] == BPF_NATIVE_ARCH) {
#ifdef BPF_X32_BIT
				data.nr |= (int)BPF_X32_BIT;
#else
				continue;
#endif
			}
			if (bpf_run(insns, n, &data).action != SECCOMP_RET_KILL_PROCESS)
				return false;
		}
	return true;
}

static bool compare(const char *path)
{
	static struct compared c;
	auto_arena struct arena *a = arena_new();
	char *text = NULL;
	struct spec spec;
	struct sl_err err;
	size_t len = 0;
	bool good = true;

	if (io_read_file(a, AT_FDCWD, path, SPEC_MAX_BYTES, &text, &len, &err) < 0 ||
		spec_load_buffer(a, text, len, &spec, &err) < 0) {
		printf("# %s\n", err.msg);
		return false;
	}
	c = (struct compared){ .seccomp = &spec.linux_.seccomp, .newest = -1 };
	if (!c.seccomp->set || profile_compile(a, c.seccomp, &c.ours, &err) < 0) {
		printf("# %s\n", c.seccomp->set ? err.msg : "no profile");
		return false;
	}
	if (compile_theirs(&c) < 0)
		return false;
	for (int nr = 0; nr < NUMBERS; nr++)
		good &= same_number(&c, nr);
	printf("# newest %d, %d names unknown, %lu answers\n", c.newest, c.unknown, c.answers);
	return good;
}

int main(int argc, char **argv)
{
	int failed = !foreign_end();

	printf("%sok - calls of other architectures end\n", failed ? "not " : "");
	for (int i = 1; i < argc; i++) {
		const char *slash = strrchr(argv[i], '/');
		bool good = compare(argv[i]);

		printf("%sok - %s\n", good ? "" : "not ", slash ? slash + 1 : argv[i]);
		failed |= !good;
	}
	return failed;
}
