/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that name another process. The kernel would let the workload name the supervisor and the
 * threads of init; the filter refuses their ids.
 */
#include <errno.h>

#include "runtime/confine/internal.h"

/* EPERM when the argument is a shielded id or its negative; otherwise continues with next. */
static bpf_node shield(struct filter_rules *r, int arg, bpf_node next)
{
	bpf_node failed = filter_fail(r, EPERM);

	next = bpf_if_any(r->b, r->negated, FILTER_SHIELDED, failed, next);
	next = bpf_if_any(r->b, r->shielded, FILTER_SHIELDED, failed, next);
	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* Tests whether the loaded id is 1: in the container 1 is the main process, but for the kernel it
 * is the first process of the host. */
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

/* The calling process becomes the tracer, so the supervisor cannot make this call for it. */
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

/* The supervisor and the threads of init have the container's tree as their root, so the supervisor
 * would count them as members. Therefore the filter refuses their ids. */
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

/* setpriority(which, who, …) and ioprio_set(which, who, …): a process, a process group or a
 * user. */
bpf_node filter_rule_priority(struct filter_rules *r, int arg, uint32_t process, uint32_t group)
{
	bpf_node one = filter_rule_member(r, arg);
	bpf_node all = filter_rule_self(r, arg);
	bpf_node next = bpf_if(r->b, BPF_JEQ, group, all, filter_fail(r, EPERM));

	next = bpf_if(r->b, BPF_JEQ, process, one, next);
	return bpf_load(r->b, BPF_ARG_LOW(0), next);
}

/* A clock id (linux/posix-timers.h). A negative id stands for the CPU time of a process or thread:
 * the inverted pid above three bits. Bit 4 stands for a thread, which the kernel accepts only from
 * the caller's own process. Otherwise the value 3 stands for a descriptor. The pid 0 is the
 * caller. */
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
