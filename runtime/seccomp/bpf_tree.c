/* SPDX-License-Identifier: Apache-2.0
 *
 * A tree makes the filter cheap in two ways. When it is installed, the kernel runs it once for
 * every call number, to find the calls that are always allowed (since Linux 5.11 it allows those
 * without running the filter), so the cost depends on the depth. When it runs, the remaining calls
 * take a dozen instructions.
 */
#include "runtime/seccomp/bpf_tree.h"

int bpf_ranges_add(struct bpf_ranges *r, uint32_t nr, uint64_t decision)
{
	if (r->n && r->items[r->n - 1].decision == decision)
		return 0;
	if (r->n == BPF_RANGES_MAX)
		return -1;
	r->items[r->n++] = (struct bpf_range){ nr, decision };
	return 0;
}

/* Searches the ranges [low, high]. The recursion has a depth of ceil(log2(BPF_RANGES_MAX)). */
static bpf_node search(struct bpf *b, const struct bpf_range *r, const struct bpf_leaves *leaves,
	size_t low, size_t high)
{
	size_t middle = low + (high - low + 1) / 2;
	bpf_node yes, no;

	if (low == high)
		return leaves->leaf(leaves->context, b, r[low].decision);
	/* A single number between two ranges with the same decision: one comparison is enough. */
	if (high - low == 2 && r[low].decision == r[high].decision &&
		r[high].first - r[low + 1].first == 1) {
		no = search(b, r, leaves, low, low);
		yes = search(b, r, leaves, low + 1, low + 1);
		return bpf_if(b, BPF_JEQ, r[low + 1].first, yes, no);
	}
	yes = search(b, r, leaves, middle, high);
	no = search(b, r, leaves, low, middle - 1);
	return bpf_if(b, BPF_JGE, r[middle].first, yes, no);
}

void bpf_program(struct bpf *b, const struct bpf_ranges *r, const struct bpf_leaves *leaves,
	uint32_t newest, uint32_t above)
{
	bpf_node next = search(b, r->items, leaves, 0, r->n - 1);
	bpf_node killed = bpf_ret(b, SECCOMP_RET_KILL_PROCESS);

	next = bpf_if(b, BPF_JGT, newest, bpf_ret(b, above), next);
#ifdef BPF_X32_BIT
	/* The comparisons below would not recognise x32 numbers. A tracer writes -1 to skip a call:
	 * the kernel then does nothing, and the result is the tracer's. */
	bpf_node x32 = bpf_if(b, BPF_JEQ, UINT32_MAX, bpf_ret(b, SECCOMP_RET_ALLOW), killed);

	next = bpf_if(b, BPF_JGE, BPF_X32_BIT, x32, next);
#endif
	next = bpf_load(b, BPF_NR, next);
	next = bpf_if(b, BPF_JEQ, BPF_NATIVE_ARCH, next, killed);
	bpf_load(b, BPF_ARCH, next);
}
