/* SPDX-License-Identifier: Apache-2.0
 *
 * An assembler for classic BPF over struct seccomp_data (seccomp(2), linux/filter.h) that writes a
 * program from its end to its beginning. Classic BPF jumps forwards only, so the target of a jump
 * already exists when the jump is written. There are no labels to resolve, and a jump that would
 * not fit into 8 bits can be split at once.
 *
 * A node is an instruction that has been written. Nested calls have the shape of the tree that they
 * build.
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

/* The position counted from the end of the program: 1 is the last instruction. */
typedef uint32_t bpf_node;

struct bpf {
	struct sock_filter *insns; /* the newest is insns[max - n] */
	uint32_t max;
	uint32_t n;
	bool overflow; /* the program did not fit: bpf_finish() fails */
};

void bpf_begin(struct bpf *b, struct sock_filter *insns, size_t max);

/* Ends with a verdict. Reuses an equal instruction if one is near enough. */
bpf_node bpf_ret(struct bpf *b, uint32_t action);

/* Loads 32 bits, then continues at next. */
bpf_node bpf_load(struct bpf *b, uint32_t offset, bpf_node next);

/* Masks the loaded value, then continues at next. */
bpf_node bpf_and(struct bpf *b, uint32_t mask, bpf_node next);

/* Compares the loaded value with k. test: BPF_JEQ, BPF_JGT, BPF_JGE or BPF_JSET. */
bpf_node bpf_if(struct bpf *b, uint16_t test, uint32_t k, bpf_node yes, bpf_node no);

/* Continues at hit if the loaded value is one of the values, otherwise at miss. */
bpf_node bpf_if_any(struct bpf *b, const uint32_t *values, size_t n, bpf_node hit, bpf_node miss);

/* Moves the program to insns[0]; it starts at the newest instruction. Returns 0, or -1 when it did
 * not fit. */
int bpf_finish(struct bpf *b, size_t *ret_n);

#endif
