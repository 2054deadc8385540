/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a filter as the kernel does (seccomp(2)), and says how it came to its answer. Knows
 * what the filters of this room are made of; anything else is BPF_RUN_BROKEN. Classic BPF
 * jumps forwards only, so that a run is never longer than the program.
 */
#ifndef SANDLOCK_SECCOMP_BPF_RUN_H
#define SANDLOCK_SECCOMP_BPF_RUN_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BPF_RUN_BROKEN 0xdeadbeefU /* no action that the kernel knows */

struct bpf_answer {
	uint32_t action; /* SECCOMP_RET_… with its data */
	unsigned int steps;
	bool saw_args; /* the answer depends on more than number and architecture */
};

struct bpf_answer bpf_run(
	const struct sock_filter *insns, size_t n, const struct seccomp_data *data);

#endif
