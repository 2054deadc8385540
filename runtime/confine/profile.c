/* SPDX-License-Identifier: Apache-2.0
 *
 * The bundle's own filter, for the native architecture. Others that the profile names are
 * checked and then left out: the default filter, which is installed before this one, kills
 * calls of every other architecture, and no answer of a second filter outranks that.
 *
 * Where the specification is silent this does what runc does, because the profiles in use
 * were written against it: a name that nobody knows is skipped, a rule that says what the
 * default says is skipped, two conditions on the same argument are alternatives, and a
 * call newer than every name of a deny-by-default profile is ENOSYS, so that a new C
 * library falls back instead of failing.
 */
#include "runtime/confine/profile.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/confine/bpf.h"
#include "runtime/confine/profile_words.h"
#include "runtime/plan/syscalls.h"

#define MAX_ERRNO 4095 /* of the kernel: a larger one would be cut */
#define MAX_ARGS  6

/* More rules than this and the search tree of libseccomp pays; 2.5.4 makes a wrong one of
 * an empty profile. */
#define TREE_FROM 32

struct build {
	const struct spec_seccomp *seccomp;
	scmp_filter_ctx ctx;
	uint32_t default_action;
	int newest; /* the largest number that a rule names, -1: none */
};

static int action_of(
	const char *name, bool has_errno, uint32_t code, uint32_t *ret, struct sl_err *err)
{
	const struct profile_action *action = profile_action_find(name);
	uint32_t max = MAX_ERRNO;
	uint32_t value;

	if (!name)
		return sl_err_set(err, 0, "the action is missing");
	if (strcmp(name, "SCMP_ACT_NOTIFY") == 0)
		return sl_err_set(err, 0,
			"SCMP_ACT_NOTIFY cannot be honoured: a process has one listener at most "
			"(seccomp_unotify(2)), and the runtime's own filter holds it");
	if (!action)
		return sl_err_set(err, 0, "unknown action \"%s\"", name);
	if (has_errno && !action->takes_data)
		return sl_err_set(err, 0, "%s takes no errnoRet", name);
	value = action->value;
	if (!action->takes_data) {
		*ret = value;
		return 0;
	}
	if (value == SECCOMP_RET_TRACE)
		max = SECCOMP_RET_DATA;
	if (has_errno && code > max)
		return sl_err_set(err, 0, "errnoRet %u is larger than %u", code, max);
	*ret = value | (has_errno ? code : EPERM);
	return 0;
}

/* libseccomp's list of names ends with its release, ours with another. */
static int number_of(const char *name)
{
	const struct syscall_row *row = syscall_row_by_name(name);

	return row ? row->nr : seccomp_syscall_resolve_name_arch(SCMP_ARCH_NATIVE, name);
}

static int conditions(const struct spec_seccomp_rule *rule, struct scmp_arg_cmp *ret_cmp,
	bool *ret_repeated, struct sl_err *err)
{
	unsigned int seen = 0;
	bool repeated = false;

	for (size_t i = 0; i < rule->n_args; i++) {
		const struct spec_seccomp_arg *arg = &rule->args[i];

		if (arg->index >= MAX_ARGS)
			return sl_err_set(
				err, 0, "args[%zu].index: %u is larger than 5", i, arg->index);
		repeated |= seen & 1U << arg->index;
		seen |= 1U << arg->index;
		ret_cmp[i] = (struct scmp_arg_cmp){
			.arg = arg->index,
			.op = (enum scmp_compare)profile_operator_value(arg->op),
			.datum_a = arg->value,
			.datum_b = arg->value_two,
		};
	}
	*ret_repeated = repeated;
	return 0;
}

static int add(
	struct build *b, uint32_t action, int nr, unsigned int n, const struct scmp_arg_cmp *cmp)
{
	int r = seccomp_rule_add_array(b->ctx, action, nr, n, cmp);

	return r == -EEXIST ? 0 : r; /* the same rule again */
}

static int add_call(struct build *b, const struct spec_seccomp_rule *rule, const char *name,
	uint32_t action, struct sl_err *err)
{
	struct scmp_arg_cmp cmp[MAX_ARGS * 2];
	bool repeated = false;
	int nr = number_of(name);
	int r = 0;

	if (nr < 0)
		return 0;
	if (nr > b->newest)
		b->newest = nr;
	if (action == b->default_action)
		return 0;
	if (rule->n_args > sizeof(cmp) / sizeof(cmp[0]))
		return sl_err_set(err, 0, "more than %zu args", sizeof(cmp) / sizeof(cmp[0]));
	if (conditions(rule, cmp, &repeated, err) < 0)
		return -1;
	if (!repeated)
		r = add(b, action, nr, (unsigned int)rule->n_args, cmp);
	for (size_t i = 0; repeated && i < rule->n_args && r == 0; i++)
		r = add(b, action, nr, 1, &cmp[i]);
	if (r < 0)
		return sl_err_set(err, -r, "rule for \"%s\"", name);
	return 0;
}

static int add_rule(struct build *b, const struct spec_seccomp_rule *rule, struct sl_err *err)
{
	uint32_t action;

	if (action_of(rule->action, rule->has_errno_ret, rule->errno_ret, &action, err) < 0)
		return -1;
	for (size_t i = 0; i < rule->n_names; i++)
		if (add_call(b, rule, rule->names[i], action, err) < 0)
			return -1;
	return 0;
}

static int add_rules(struct build *b, struct sl_err *err)
{
	for (size_t i = 0; i < b->seccomp->n_rules; i++)
		if (add_rule(b, &b->seccomp->rules[i], err) < 0)
			return sl_err_wrap(err, "syscalls[%zu]", i);
	return 0;
}

static int check_words(const struct spec_seccomp *s, unsigned int *ret_flags, struct sl_err *err)
{
	unsigned int flags = 0;

	if (s->listener_path || s->listener_metadata)
		return sl_err_set(err, 0,
			"listenerPath cannot be honoured: a process has one "
			"listener at most, and the runtime's own filter holds it");
	for (size_t i = 0; i < s->n_architectures; i++)
		if (!profile_word_in(profile_archs(), s->architectures[i]))
			return sl_err_set(err, 0, "architectures[%zu]: unknown architecture \"%s\"",
				i, s->architectures[i]);
	for (size_t i = 0; i < s->n_flags; i++)
		if (profile_flag(s->flags[i], &flags) < 0)
			return sl_err_set(
				err, 0, "flags[%zu]: unknown flag \"%s\"", i, s->flags[i]);
	/* Before 5.16 every filter switched a costly mitigation on; no flags: not wanted. */
	*ret_flags = s->n_flags ? flags : SECCOMP_FILTER_FLAG_SPEC_ALLOW;
	return 0;
}

/* Whether numbers that no rule could know get ENOSYS instead of the default action. */
static bool wants_enosys(const struct build *b)
{
	return b->default_action != SCMP_ACT_ALLOW && b->default_action != SCMP_ACT_LOG &&
	       b->default_action != SCMP_ACT_ERRNO(ENOSYS) && b->newest >= 0;
}

/* arch = native and newest < nr < x32: ENOSYS; everything else goes on at the program. */
static size_t write_stub(int newest, struct sock_filter *ret)
{
	const struct sock_filter stub[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, BPF_ARCH),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, BPF_NATIVE_ARCH, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, BPF_NR),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, PROFILE_NOT_A_NUMBER, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (uint32_t)newest, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	};

	memcpy(ret, stub, sizeof(stub));
	return sizeof(stub) / sizeof(stub[0]);
}

#define STUB_MAX 8

/* libseccomp 2.5 exports to a descriptor only. */
static int export(struct build *b, struct arena *a, struct profile *ret, struct sl_err *err)
{
	auto_fd int fd = memfd_create("profile", MFD_CLOEXEC);
	struct sock_filter *insns;
	char *text;
	size_t bytes, n = 0;
	int r;

	if (fd < 0)
		return sl_err_set(err, errno, "memfd_create");
	r = seccomp_export_bpf(b->ctx, fd);
	if (r < 0)
		return sl_err_set(err, -r, "export the filter");
	if (lseek(fd, 0, SEEK_SET) < 0)
		return sl_err_set(err, errno, "export the filter: lseek");
	if (io_read_all(a, fd, BPF_MAXINSNS * sizeof(*insns), &text, &bytes, err) < 0)
		return sl_err_wrap(err, "export the filter");
	insns = arena_array(a, bytes / sizeof(*insns) + STUB_MAX, sizeof(*insns));
	if (wants_enosys(b))
		n = write_stub(b->newest, insns);
	memcpy(insns + n, text, bytes);
	n += bytes / sizeof(*insns);
	if (n > BPF_MAXINSNS)
		return sl_err_set(err, 0, "the filter has more than %d instructions", BPF_MAXINSNS);
	ret->insns = insns;
	ret->n = n;
	return 0;
}

static int compile(struct build *b, struct arena *a, struct profile *ret, struct sl_err *err)
{
	/* What the kernel would do with a foreign architecture is decided by the filter before
	 * this one; it must not be weakened by a default of ALLOW here. */
	int r = seccomp_attr_set(b->ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);

	if (r == 0 && b->seccomp->n_rules > TREE_FROM)
		r = seccomp_attr_set(b->ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (r < 0)
		return sl_err_set(err, -r, "set up libseccomp");
	if (add_rules(b, err) < 0)
		return -1;
	return export(b, a, ret, err);
}

int profile_compile(struct arena *a, const struct spec_seccomp *seccomp, struct profile *ret,
	struct sl_err *err)
{
	struct build b = { .seccomp = seccomp, .newest = -1 };
	struct profile made = { .insns = NULL };
	int r;

	if (!seccomp->set) {
		*ret = made;
		return 0;
	}
	if (check_words(seccomp, &made.flags, err) < 0)
		return sl_err_wrap(err, "linux.seccomp");
	if (action_of(seccomp->default_action, seccomp->has_default_errno_ret,
		    seccomp->default_errno_ret, &b.default_action, err) < 0)
		return sl_err_wrap(err, "linux.seccomp.defaultAction");
	b.ctx = seccomp_init(b.default_action);
	if (!b.ctx)
		return sl_err_set(err, 0, "linux.seccomp: libseccomp refuses the default action");
	r = compile(&b, a, &made, err);
	seccomp_release(b.ctx);
	if (r < 0)
		return sl_err_wrap(err, "linux.seccomp");
	*ret = made;
	return 0;
}
