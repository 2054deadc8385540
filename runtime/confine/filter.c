/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds the default filter. Neighbouring rows of syscalls.def with the same decision form one
 * range, and a range ends in a return or in a rule about an argument. Each of these rules is
 * written once.
 */
#include "runtime/confine/filter.h"

#include "runtime/base/arena.h"
#include "runtime/confine/filter_rules.h"
#include "runtime/seccomp/bpf_tree.h"

#define MAX_RULES 64

struct rule {
	uint64_t decision;
	bpf_node node;
};

struct filter_tree {
	struct filter_rules rules;
	struct bpf_ranges ranges;
	struct rule made[MAX_RULES];
	size_t n_made;
};

static bool is_plain(enum syscall_verdict verdict)
{
	return verdict == VERDICT_ALLOW || verdict == VERDICT_REFUSE || verdict == VERDICT_ABSENT;
}

/* Encodes a verdict and the argument that it looks at. Plain returns look at no argument. */
static uint64_t decision_of(const struct filter_params *p, const struct syscall_row *row)
{
	enum syscall_verdict verdict = row ? filter_resolve(p, row) : VERDICT_ABSENT;
	uint64_t arg = is_plain(verdict) ? 0 : (uint64_t)(row->arg + 1);

	return arg << 32 | verdict;
}

static enum syscall_verdict verdict_of(uint64_t decision)
{
	return (enum syscall_verdict)(uint32_t)decision;
}

static bpf_node write_rule(struct filter_tree *t, uint64_t decision)
{
	return filter_rule(&t->rules, verdict_of(decision), (int)(decision >> 32) - 1);
}

static bpf_node filter_leaf(void *context, struct bpf *b, uint64_t decision)
{
	struct filter_tree *t = context;

	(void)b;
	for (size_t i = 0; i < t->n_made; i++)
		if (t->made[i].decision == decision)
			return t->made[i].node;
	return write_rule(t, decision);
}

/* Writes the argument rules first, so they lie at the end of the program and do not separate the
 * nodes of the tree. */
static int make_rule(struct filter_tree *t, uint64_t decision, struct sl_err *err)
{
	if (is_plain(verdict_of(decision)))
		return 0;
	for (size_t i = 0; i < t->n_made; i++)
		if (t->made[i].decision == decision)
			return 0;
	if (t->n_made == MAX_RULES)
		return sl_err_set(err, 0, "filter: more than %d argument rules", MAX_RULES);
	t->made[t->n_made].decision = decision;
	t->made[t->n_made++].node = write_rule(t, decision);
	return 0;
}

static int find_ranges(struct filter_tree *t, struct sl_err *err)
{
	for (int nr = 0; nr <= syscall_newest(); nr++) {
		uint64_t decision = decision_of(t->rules.params, syscall_row(nr));

		if (bpf_ranges_add(&t->ranges, (uint32_t)nr, decision) < 0)
			return sl_err_set(err, 0, "filter: too many ranges of numbers");
		if (make_rule(t, decision, err) < 0)
			return -1;
	}
	return 0;
}

int filter_build(const struct filter_params *p, struct sock_filter *ret_insns, size_t max,
	size_t *ret_n, struct sl_err *err)
{
	/* Not on the stack: init calls this function too, and the pages that a stack has used once
	 * stay allocated. */
	auto_arena struct arena *scratch = arena_new();
	struct filter_tree *t = arena_alloc(scratch, sizeof(*t));
	const struct bpf_leaves leaves = { filter_leaf, t };
	struct bpf b;

	/* For kill(2), 0 and -1 have another meaning, so they cannot be shielded ids. */
	if (p->supervisor <= 1 || p->init <= 1 || p->init_thread <= 1 || p->init_fetcher <= 1)
		return sl_err_set(err, 0, "filter: the ids to shield are not known");
	bpf_begin(&b, ret_insns, max);
	filter_rules_begin(&t->rules, p, &b);
	if (find_ranges(t, err) < 0)
		return -1;
	bpf_program(
		&b, &t->ranges, &leaves, (uint32_t)syscall_newest(), SECCOMP_RET_ERRNO | ENOSYS);
	if (bpf_finish(&b, ret_n) < 0)
		return sl_err_set(err, 0, "filter: more than %zu instructions", max);
	return 0;
}
