/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds a whole filter from decisions by call number: the filter checks the architecture first,
 * and then a search tree finds the range of the number.
 */
#ifndef SANDLOCK_SECCOMP_BPF_TREE_H
#define SANDLOCK_SECCOMP_BPF_TREE_H

#include "runtime/seccomp/bpf.h"

#define BPF_RANGES_MAX 512

/* The numbers from `first` up to the next range. The value of a decision has a meaning only for the
 * caller's leaf(). */
struct bpf_range {
	uint32_t first;
	uint64_t decision;
};

struct bpf_ranges {
	struct bpf_range items[BPF_RANGES_MAX];
	size_t n;
};

/* Adds a number. They must come in order, from 0 on without a gap. Returns -1 when there are too
 * many ranges. */
int bpf_ranges_add(struct bpf_ranges *r, uint32_t nr, uint64_t decision);

struct bpf_leaves {
	bpf_node (*leaf)(void *context, struct bpf *b, uint64_t decision);
	void *context;
};

/* Writes the program. It must be the last step before bpf_finish(). above: the verdict for numbers
 * larger than newest. */
void bpf_program(struct bpf *b, const struct bpf_ranges *r, const struct bpf_leaves *leaves,
	uint32_t newest, uint32_t above);

#endif
