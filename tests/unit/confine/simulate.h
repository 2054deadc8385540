/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a filter as the kernel does (seccomp(2)) and says how it came to its answer. The
 * kernel's own run is the subject of other tests; this one sees what a child cannot tell.
 */
#ifndef SANDLOCK_TESTS_SIMULATE_H
#define SANDLOCK_TESTS_SIMULATE_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SIMULATE_BROKEN 0xdeadbeefU

struct simulated {
	uint32_t action;
	unsigned int steps;
	bool saw_args; /* the answer depends on more than number and architecture */
};

static inline bool simulate_test(uint16_t code, uint32_t a, uint32_t k)
{
	switch (BPF_OP(code)) {
	case BPF_JEQ: return a == k;
	case BPF_JGT: return a > k;
	case BPF_JGE: return a >= k;
	default: return a & k;
	}
}

static inline struct simulated simulate(
	const struct sock_filter *insns, size_t n, const struct seccomp_data *data)
{
	struct simulated s = { .action = SIMULATE_BROKEN };
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
			pc += simulate_test(i->code, a, i->k) ? i->jt : i->jf;
		} else {
			return s;
		}
	}
	return s;
}

#endif
