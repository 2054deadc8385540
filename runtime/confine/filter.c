/* SPDX-License-Identifier: Apache-2.0
 *
 * The default filter as a search tree over the numbers. Neighbours with the same decision
 * are one range, and a range ends in a return or in an argument rule that is written once.
 *
 * The shape is what makes it cheap twice. Installing: the kernel walks the program once for
 * every number to learn which calls pass whatever their arguments (and lets those by
 * without running the filter at all from 5.11 on), so the depth of the tree is the cost.
 * Running: the calls that are left take a dozen instructions.
 */
#include "runtime/confine/filter.h"

#include "runtime/confine/filter_rules.h"

#define MAX_RANGES 512
#define MAX_RULES  64

struct range {
	uint32_t first;
	enum syscall_verdict verdict;
	int arg; /* -1 for plain returns, which do not look at one */
};

struct rule {
	enum syscall_verdict verdict;
	int arg;
	bpf_node node;
};

struct filter_tree {
	struct filter_rules rules;
	struct range ranges[MAX_RANGES];
	size_t n_ranges;
	struct rule made[MAX_RULES];
	size_t n_made;
};

static bool is_plain(enum syscall_verdict verdict)
{
	return verdict == VERDICT_ALLOW || verdict == VERDICT_REFUSE || verdict == VERDICT_ABSENT;
}

static bool same(const struct range *a, const struct range *b)
{
	return a->verdict == b->verdict && a->arg == b->arg;
}

/* The ranges from number 0 to the newest known; what is above has its own jump. */
static int find_ranges(struct filter_tree *t, struct sl_err *err)
{
	for (int nr = 0; nr <= syscall_newest(); nr++) {
		const struct syscall_row *row = syscall_row(nr);
		struct range next = { (uint32_t)nr, VERDICT_ABSENT, -1 };

		if (row)
			next.verdict = filter_resolve(t->rules.params, row);
		if (!is_plain(next.verdict))
			next.arg = row->arg;
		if (t->n_ranges && same(&next, &t->ranges[t->n_ranges - 1]))
			continue;
		if (t->n_ranges == MAX_RANGES)
			return sl_err_set(
				err, 0, "filter: more than %d ranges of numbers", MAX_RANGES);
		t->ranges[t->n_ranges++] = next;
	}
	return 0;
}

/* The argument rules go first, so to the end of the program: the tree stays together. */
static int make_rules(struct filter_tree *t, struct sl_err *err)
{
	for (size_t i = 0; i < t->n_ranges; i++) {
		const struct range *range = &t->ranges[i];
		size_t known = 0;

		if (is_plain(range->verdict))
			continue;
		while (known < t->n_made && (t->made[known].verdict != range->verdict ||
						    t->made[known].arg != range->arg))
			known++;
		if (known < t->n_made)
			continue;
		if (t->n_made == MAX_RULES)
			return sl_err_set(err, 0, "filter: more than %d argument rules", MAX_RULES);
		t->made[t->n_made++] = (struct rule){
			.verdict = range->verdict,
			.arg = range->arg,
			.node = filter_rule(&t->rules, range->verdict, range->arg),
		};
	}
	return 0;
}

static bpf_node leaf(struct filter_tree *t, const struct range *range)
{
	for (size_t i = 0; i < t->n_made; i++)
		if (t->made[i].verdict == range->verdict && t->made[i].arg == range->arg)
			return t->made[i].node;
	return filter_rule(&t->rules, range->verdict, range->arg);
}

/* Ranges [low, high]. Recurses ceil(log2(MAX_RANGES)) deep. */
static bpf_node search(struct filter_tree *t, size_t low, size_t high)
{
	const struct range *r = t->ranges;
	size_t middle = low + (high - low + 1) / 2;
	bpf_node yes, no;

	if (low == high)
		return leaf(t, &r[low]);
	/* One number in the midst of another decision: one comparison instead of two. */
	if (high - low == 2 && same(&r[low], &r[high]) && r[high].first - r[low + 1].first == 1) {
		no = leaf(t, &r[low]);
		yes = leaf(t, &r[low + 1]);
		return bpf_if(t->rules.b, BPF_JEQ, r[low + 1].first, yes, no);
	}
	yes = search(t, middle, high);
	no = search(t, low, middle - 1);
	return bpf_if(t->rules.b, BPF_JGE, r[middle].first, yes, no);
}

/* What stands before the tree: the architecture, x32, and numbers that have no row. */
static void head(struct filter_tree *t, bpf_node tree)
{
	struct bpf *b = t->rules.b;
	bpf_node killed = bpf_ret(b, SECCOMP_RET_KILL_PROCESS);
	bpf_node next = bpf_if(b, BPF_JGT, (uint32_t)syscall_newest(),
		bpf_ret(b, SECCOMP_RET_ERRNO | ENOSYS), tree);

#ifdef BPF_X32_BIT
	/* x32 numbers would pass by every comparison below. -1 is what a tracer writes to
	 * have a call left out: the kernel does nothing then, and the result is the tracer's. */
	bpf_node x32 = bpf_if(b, BPF_JEQ, UINT32_MAX, bpf_ret(b, SECCOMP_RET_ALLOW), killed);

	next = bpf_if(b, BPF_JGE, BPF_X32_BIT, x32, next);
#endif
	next = bpf_load(b, BPF_NR, next);
	next = bpf_if(b, BPF_JEQ, BPF_NATIVE_ARCH, next, killed);
	bpf_load(b, BPF_ARCH, next);
}

int filter_build(const struct filter_params *p, struct sock_filter *ret_insns, size_t max,
	size_t *ret_n, struct sl_err *err)
{
	struct filter_tree t = { .n_ranges = 0 };
	struct bpf b;

	/* 0 and -1 mean something else to kill(2): a shield around them would be none. */
	if (p->supervisor <= 1 || p->init <= 1 || p->init_thread <= 1)
		return sl_err_set(err, 0, "filter: the ids to shield are not known");
	bpf_begin(&b, ret_insns, max);
	filter_rules_begin(&t.rules, p, &b);
	if (find_ranges(&t, err) < 0 || make_rules(&t, err) < 0)
		return -1;
	head(&t, search(&t, 0, t.n_ranges - 1));
	if (bpf_finish(&b, ret_n) < 0)
		return sl_err_set(err, 0, "filter: more than %zu instructions", max);
	return 0;
}
