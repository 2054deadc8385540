/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that name another process. The supervisor and the threads of init have ids that the
 * kernel would let the workload name; here they are refused.
 */
#include <errno.h>

#include "runtime/confine/filter_rules.h"

/* EPERM when the argument is a shielded id, with either sign; otherwise next. */
static bpf_node shield(struct filter_rules *r, int arg, bpf_node next)
{
	bpf_node failed = filter_fail(r, EPERM);

	next = bpf_if_any(r->b, r->negated, FILTER_SHIELDED, failed, next);
	next = bpf_if_any(r->b, r->shielded, FILTER_SHIELDED, failed, next);
	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* The main process is 1 for the container, which is the host's first process for the kernel. What
 * is loaded is the id. */
static bpf_node if_main(struct filter_rules *r, bpf_node then, bpf_node otherwise)
{
	return bpf_if(r->b, BPF_JEQ, 1, then, otherwise);
}

bpf_node filter_rule_one_id(struct filter_rules *r, int arg)
{
	bpf_node asked = filter_ask(r);

	return shield(r, arg, if_main(r, asked, filter_pass(r)));
}

bpf_node filter_rule_two_ids(struct filter_rules *r, int arg)
{
	bpf_node asked = filter_ask(r);
	bpf_node first =
		bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), if_main(r, asked, filter_pass(r)));

	return shield(r, arg, shield(r, arg + 1, if_main(r, asked, first)));
}

bpf_node filter_rule_tells(struct filter_rules *r, int arg)
{
	bpf_node next = if_main(r, filter_ask(r), filter_pass(r));

	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* A tracer must call itself, so the supervisor cannot help. */
bpf_node filter_rule_trace(struct filter_rules *r, int arg)
{
	return arg < 0 ? filter_pass(r)
		       : shield(r, arg, if_main(r, filter_fail(r, ESRCH), filter_pass(r)));
}

bpf_node filter_rule_self(struct filter_rules *r, int arg)
{
	bpf_node next = bpf_if(r->b, BPF_JEQ, 0, filter_pass(r), filter_fail(r, EPERM));

	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* The supervisor and init's threads have the tree as their root too, and would therefore
 * count as members: they are refused here. */
static bpf_node rule_named(struct filter_rules *r, int arg, bpf_node self)
{
	bpf_node other = shield(r, arg, filter_ask(r));
	bpf_node next = bpf_if(r->b, BPF_JEQ, 0, self, if_main(r, filter_fail(r, ESRCH), other));

	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

bpf_node filter_rule_member(struct filter_rules *r, int arg)
{
	return rule_named(r, arg, filter_pass(r));
}

bpf_node filter_rule_affinity(struct filter_rules *r, int arg)
{
	return rule_named(r, arg, r->params->bind_cpus ? filter_ask(r) : filter_pass(r));
}

/* setpriority and ioprio_set (which, who, …): a process, a process group, a user. */
bpf_node filter_rule_priority(struct filter_rules *r, int arg, uint32_t process, uint32_t group)
{
	bpf_node one = filter_rule_member(r, arg);
	bpf_node all = filter_rule_self(r, arg);
	bpf_node next = bpf_if(r->b, BPF_JEQ, group, all, filter_fail(r, EPERM));

	next = bpf_if(r->b, BPF_JEQ, process, one, next);
	return bpf_load(r->b, BPF_ARG_LOW(0), next);
}

/* A clock id (linux/posix-timers.h): negative ones are of processor time, a pid, inverted, above
 * three bits: 4 for a thread, which the kernel takes of the caller's own process only, and else 3
 * for a descriptor. The pid 0 is the caller. */
bpf_node filter_rule_cpu_time(struct filter_rules *r, int arg)
{
	const uint32_t first = 1U << 31, own = ~0U << 3, thread = 4, descriptor = 3;
	bpf_node passed = filter_pass(r);
	bpf_node next = bpf_if(r->b, BPF_JEQ, descriptor, passed, filter_ask(r));

	next = bpf_and(r->b, descriptor, next);
	next = bpf_if(r->b, BPF_JSET, thread, passed, next);
	next = bpf_if(r->b, BPF_JGE, own, passed, next);
	next = bpf_if(r->b, BPF_JGE, first, next, passed);
	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}
