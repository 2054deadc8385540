/* SPDX-License-Identifier: Apache-2.0
 *
 * The program is written from its end, so the distance of a jump is known when it is written.
 */
#include "runtime/seccomp/bpf.h"

#include <string.h>

#define REACH 255 /* jt and jf have 8 bits */

void bpf_begin(struct bpf *b, struct sock_filter *insns, size_t max)
{
	*b = (struct bpf){
		.insns = insns,
		.max = max < BPF_MAXINSNS ? (uint32_t)max : BPF_MAXINSNS,
	};
}

static bpf_node put_insn(struct bpf *b, struct sock_filter insn)
{
	if (b->n == b->max) {
		b->overflow = true;
		return b->n;
	}
	b->n++;
	b->insns[b->max - b->n] = insn;
	return b->n;
}

static struct sock_filter at(const struct bpf *b, bpf_node node)
{
	return b->insns[b->max - node];
}

bpf_node bpf_ret(struct bpf *b, uint32_t action)
{
	/* Only three quarters of the reach, so that the jumps to this node can still reach it. */
	for (bpf_node node = b->n; node > 0 && b->n - node < REACH * 3 / 4; node--)
		if (at(b, node).code == (BPF_RET | BPF_K) && at(b, node).k == action)
			return node;
	return put_insn(b, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

/* Writes an instruction that has the effect of the target and is near enough for a jump. */
static bpf_node stone(struct bpf *b, bpf_node target)
{
	if (target > 0 && at(b, target).code == (BPF_RET | BPF_K))
		return put_insn(b, at(b, target));
	return put_insn(b, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, b->n - target));
}

bpf_node bpf_load(struct bpf *b, uint32_t offset, bpf_node next)
{
	if (next != b->n)
		stone(b, next);
	return put_insn(b, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
}

bpf_node bpf_and(struct bpf *b, uint32_t mask, bpf_node next)
{
	if (next != b->n)
		stone(b, next);
	return put_insn(b, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
}

bpf_node bpf_if(struct bpf *b, uint16_t test, uint32_t k, bpf_node yes, bpf_node no)
{
	/* One more instruction may come between this one and the target of the other branch. */
	if (b->n + 1 - yes > REACH)
		yes = stone(b, yes);
	if (b->n - no > REACH)
		no = stone(b, no);
	return put_insn(b, (struct sock_filter)BPF_JUMP(BPF_JMP | test | BPF_K, k,
				   (uint8_t)(b->n - yes), (uint8_t)(b->n - no)));
}

bpf_node bpf_if_any(struct bpf *b, const uint32_t *values, size_t n, bpf_node hit, bpf_node miss)
{
	for (size_t i = n; i-- > 0;)
		miss = bpf_if(b, BPF_JEQ, values[i], hit, miss);
	return miss;
}

int bpf_finish(struct bpf *b, size_t *ret_n)
{
	if (b->overflow)
		return -1;
	memmove(b->insns, b->insns + (b->max - b->n), b->n * sizeof(*b->insns));
	*ret_n = b->n;
	return 0;
}
