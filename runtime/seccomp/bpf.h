/* SPDX-License-Identifier: Apache-2.0
 *
 * An assembler for classic BPF over struct seccomp_data (seccomp(2), linux/filter.h) that
 * writes programs from their end to their beginning. Classic BPF jumps forwards only, so
 * every target is already there when a jump to it is written: there are no labels to
 * resolve, and a jump that would not fit its 8 bits gets a stepping stone at once.
 *
 * A node is an instruction that was written; nested calls read as the tree they build.
 */
#ifndef SANDLOCK_SECCOMP_BPF_H
#define SANDLOCK_SECCOMP_BPF_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#define BPF_NATIVE_ARCH AUDIT_ARCH_X86_64
#define BPF_X32_BIT     0x40000000U
#elif defined(__aarch64__)
#define BPF_NATIVE_ARCH AUDIT_ARCH_AARCH64
#else
#error "no system-call filter for this architecture yet"
#endif

#define BPF_NR   ((uint32_t)offsetof(struct seccomp_data, nr))
#define BPF_ARCH ((uint32_t)offsetof(struct seccomp_data, arch))

/* The low and the high half of an argument (little endian, as both architectures are). */
#define BPF_ARG_LOW(i)  ((uint32_t)(offsetof(struct seccomp_data, args) + (i) * sizeof(uint64_t)))
#define BPF_ARG_HIGH(i) (BPF_ARG_LOW(i) + (uint32_t)sizeof(uint32_t))

/* Counted from the end of the program: 1 is its last instruction. */
typedef uint32_t bpf_node;

struct bpf {
	struct sock_filter *insns; /* the newest is insns[max - n] */
	uint32_t max;
	uint32_t n;
	bool overflow; /* it did not fit: bpf_finish() fails */
};

void bpf_begin(struct bpf *b, struct sock_filter *insns, size_t max);

/* Ends with a verdict. An equal instruction within reach is used again. */
bpf_node bpf_ret(struct bpf *b, uint32_t action);

/* Loads 32 bits, then goes on at next. */
bpf_node bpf_load(struct bpf *b, uint32_t offset, bpf_node next);

/* Masks what was loaded, then goes on at next. */
bpf_node bpf_and(struct bpf *b, uint32_t mask, bpf_node next);

/* test: BPF_JEQ, BPF_JGT, BPF_JGE or BPF_JSET of what was loaded with k. */
bpf_node bpf_if(struct bpf *b, uint16_t test, uint32_t k, bpf_node yes, bpf_node no);

/* Goes to hit when what was loaded is one of the values, otherwise to miss. */
bpf_node bpf_if_any(struct bpf *b, const uint32_t *values, size_t n, bpf_node hit, bpf_node miss);

/* The program, starting at the newest instruction, is moved to insns[0]. Returns 0, or -1
 * when it did not fit. */
int bpf_finish(struct bpf *b, size_t *ret_n);

#endif
