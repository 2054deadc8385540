/* SPDX-License-Identifier: Apache-2.0
 *
 * Jumps that are longer than 8 bits get a stepping stone; what does not fit is an error.
 */
#include "runtime/seccomp/bpf.h"
#include "runtime/seccomp/bpf_run.h"
#include "tests/unit/check.h"

#define MAX 4096

static struct sock_filter insns[MAX];

/* A chain of comparisons much longer than a jump reaches: each number has its answer. */
static void check_long_chain(uint32_t length)
{
	struct bpf b;
	size_t n = 0;
	bpf_node next, far;
	bool good = true;

	bpf_begin(&b, insns, MAX);
	far = bpf_load(&b, BPF_ARG_LOW(0), bpf_ret(&b, 1));
	next = bpf_ret(&b, 2);
	for (uint32_t i = 0; i < length; i++)
		next = bpf_if(&b, BPF_JEQ, i, i % 3 ? far : bpf_ret(&b, 1000 + i % 7), next);
	bpf_load(&b, BPF_NR, next);
	CHECK(bpf_finish(&b, &n) == 0);
	for (uint32_t i = 0; i < length + 2; i++) {
		const struct seccomp_data data = { .nr = (int)i };
		uint32_t want = i % 3 ? 1 : 1000 + i % 7;

		good &= bpf_run(insns, n, &data).action == (i < length ? want : 2);
	}
	CHECK(good);
}

int main(void)
{
	const uint32_t values[] = { 5, 9 };
	struct bpf b;
	size_t n = 99;
	bpf_node one, two;

	for (uint32_t length = 0; length < 600; length += 37)
		check_long_chain(length);

	bpf_begin(&b, insns, MAX);
	one = bpf_ret(&b, 1);
	two = bpf_ret(&b, 2);
	CHECK(bpf_ret(&b, 1) == one); /* shared */
	bpf_load(&b, BPF_NR, bpf_and(&b, 0xf, bpf_if_any(&b, values, 2, one, two)));
	CHECK(bpf_finish(&b, &n) == 0 && n == 6);
	CHECK(bpf_run(insns, n, &(struct seccomp_data){ .nr = 0x15 }).action == 1);
	CHECK(bpf_run(insns, n, &(struct seccomp_data){ .nr = 0x19 }).action == 1);
	CHECK(bpf_run(insns, n, &(struct seccomp_data){ .nr = 0x16 }).action == 2);

	n = 99;
	bpf_begin(&b, insns, 2);
	one = bpf_ret(&b, 1);
	two = bpf_ret(&b, 2);
	bpf_load(&b, BPF_NR, bpf_if(&b, BPF_JEQ, 1, one, two));
	CHECK(bpf_finish(&b, &n) == -1 && n == 99);
	return check_done();
}
