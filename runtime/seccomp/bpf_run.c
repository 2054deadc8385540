/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/seccomp/bpf_run.h"

#include <string.h>

static bool holds(uint16_t code, uint32_t a, uint32_t k)
{
	switch (BPF_OP(code)) {
	case BPF_JEQ: return a == k;
	case BPF_JGT: return a > k;
	case BPF_JGE: return a >= k;
	default: return a & k;
	}
}

struct bpf_answer bpf_run(
	const struct sock_filter *insns, size_t n, const struct seccomp_data *data)
{
	struct bpf_answer s = { .action = BPF_RUN_BROKEN };
	uint32_t a = 0;
	size_t pc = 0;

	while (pc < n) {
		const struct sock_filter *i = &insns[pc++];

		s.steps++;
		if (i->code == (BPF_RET | BPF_K)) {
			s.action = i->k;
			return s;
		}
		if (i->code == (BPF_LD | BPF_W | BPF_ABS) && i->k <= sizeof(*data) - sizeof(a)) {
			memcpy(&a, (const char *)data + i->k, sizeof(a));
			s.saw_args |= i->k > offsetof(struct seccomp_data, arch);
		} else if (i->code == (BPF_ALU | BPF_AND | BPF_K)) {
			a &= i->k;
		} else if (i->code == (BPF_JMP | BPF_JA)) {
			pc += i->k;
		} else if (BPF_CLASS(i->code) == BPF_JMP && BPF_SRC(i->code) == BPF_K) {
			pc += holds(i->code, a, i->k) ? i->jt : i->jf;
		} else {
			return s;
		}
	}
	return s;
}
