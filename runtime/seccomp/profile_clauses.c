/* SPDX-License-Identifier: Apache-2.0
 *
 * Several rules for one call have the meaning that libseccomp gives them in runc
 * (tests/unit/seccomp/profile_same.c compares both). A rule without conditions wins over rules with
 * conditions. Among rules without conditions the first one counts. Among rules with conditions the
 * first one whose conditions are true counts.
 */
#include "runtime/seccomp/profile_clauses.h"

#include "runtime/seccomp/syscalls.h"

#define MAX_ARGS 6
/* a clause has at least three instructions, so more would not fit into a filter */
#define MAX_CLAUSES 1024

/* Whether the rule has several conditions on one argument. They are alternatives, as in runc. */
static int has_alternatives(const struct spec_seccomp_rule *rule, bool *ret, struct sl_err *err)
{
	unsigned int seen = 0;
	bool repeated = false;

	for (size_t i = 0; i < rule->n_args; i++) {
		unsigned int index = rule->args[i].index;

		if (index >= MAX_ARGS)
			return sl_err_set(err, 0, "args[%zu].index: %u is larger than 5", i, index);
		repeated |= seen & 1U << index;
		seen |= 1U << index;
	}
	*ret = repeated;
	return 0;
}

static int append(
	struct arena *a, struct clauses *c, int nr, const struct clause *clause, struct sl_err *err)
{
	struct clause **end = &c->of[nr];
	size_t n = 0;

	if (*end && !(*end)->n_args)
		return 0; /* an earlier rule without conditions decides */
	if (!clause->n_args)
		*end = NULL;
	for (; *end; n++)
		end = &(*end)->next;
	if (n == MAX_CLAUSES)
		return sl_err_set(err, 0, "more than %d rules for one call", MAX_CLAUSES);
	*end = arena_alloc(a, sizeof(**end));
	**end = *clause;
	return 0;
}

/* Adds the rule for one call: all conditions together, or each one as an alternative. */
static int add_number(struct arena *a, struct clauses *c, int nr, const struct clause *whole,
	bool alternatives, struct sl_err *err)
{
	if (!alternatives)
		return append(a, c, nr, whole, err);
	for (size_t i = 0; i < whole->n_args; i++) {
		const struct clause one = { whole->action, &whole->args[i], 1, NULL };

		if (append(a, c, nr, &one, err) < 0)
			return -1;
	}
	return 0;
}

int clauses_add(struct arena *a, struct clauses *c, const struct spec_seccomp_rule *rule,
	uint32_t action, struct sl_err *err)
{
	const struct clause whole = { action, rule->args, rule->n_args, NULL };
	bool alternatives = false;

	if (has_alternatives(rule, &alternatives, err) < 0)
		return -1;
	for (size_t i = 0; i < rule->n_names; i++) {
		const struct syscall_row *row = syscall_row_by_name(rule->names[i]);

		if (!row || row->nr >= PROFILE_NUMBERS)
			/* a call of another architecture, or one that is newer than this runtime */
			continue;
		if (row->nr > c->newest)
			c->newest = row->nr;
		if (action == c->default_action)
			continue;
		if (add_number(a, c, row->nr, &whole, alternatives, err) < 0)
			return sl_err_wrap(err, "\"%s\"", rule->names[i]);
	}
	return 0;
}

/* above: the node for a larger high half. The low half is compared when the high halves are
 * equal. */
static bpf_node write_halves(struct bpf *b, const struct spec_seccomp_arg *arg, uint16_t low_test,
	bpf_node above, bpf_node yes, bpf_node no)
{
	uint32_t high = (uint32_t)(arg->value >> 32);
	bpf_node next = bpf_if(b, low_test, (uint32_t)arg->value, yes, no);

	next = bpf_load(b, BPF_ARG_LOW(arg->index), next);
	next = bpf_if(b, BPF_JEQ, high, next, no);
	if (above != no)
		next = bpf_if(b, BPF_JGT, high, above, next);
	return bpf_load(b, BPF_ARG_HIGH(arg->index), next);
}

static bpf_node write_masked(
	struct bpf *b, const struct spec_seccomp_arg *arg, bpf_node yes, bpf_node no)
{
	uint64_t want = arg->value_two & arg->value;
	bpf_node next = bpf_if(b, BPF_JEQ, (uint32_t)want, yes, no);

	next = bpf_load(b, BPF_ARG_LOW(arg->index), bpf_and(b, (uint32_t)arg->value, next));
	next = bpf_if(b, BPF_JEQ, (uint32_t)(want >> 32), next, no);
	next = bpf_and(b, (uint32_t)(arg->value >> 32), next);
	return bpf_load(b, BPF_ARG_HIGH(arg->index), next);
}

static bpf_node write_condition(
	struct bpf *b, const struct spec_seccomp_arg *arg, bpf_node yes, bpf_node no)
{
	switch (arg->op) {
	case SPEC_SECCOMP_EQ: return write_halves(b, arg, BPF_JEQ, no, yes, no);
	case SPEC_SECCOMP_NE: return write_halves(b, arg, BPF_JEQ, yes, no, yes);
	case SPEC_SECCOMP_GT: return write_halves(b, arg, BPF_JGT, yes, yes, no);
	case SPEC_SECCOMP_GE: return write_halves(b, arg, BPF_JGE, yes, yes, no);
	case SPEC_SECCOMP_LE: return write_halves(b, arg, BPF_JGT, no, no, yes);
	case SPEC_SECCOMP_LT: return write_halves(b, arg, BPF_JGE, no, no, yes);
	case SPEC_SECCOMP_MASKED_EQ: return write_masked(b, arg, yes, no);
	}
	return no;
}

bpf_node clauses_write(struct bpf *b, const struct clauses *c, int nr)
{
	const struct clause *order[MAX_CLAUSES];
	size_t n = 0;
	bpf_node next;

	for (const struct clause *i = c->of[nr]; i; i = i->next)
		order[n++] = i;
	next = bpf_ret(b, c->default_action);
	while (n-- > 0) {
		bpf_node hit = bpf_ret(b, order[n]->action);

		for (size_t i = order[n]->n_args; i-- > 0;)
			hit = write_condition(b, &order[n]->args[i], hit, next);
		next = hit;
	}
	return next;
}
