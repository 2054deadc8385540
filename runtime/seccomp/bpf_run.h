/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a filter as the kernel does (seccomp(2)), and reports how it came to its result. It knows
 * the instructions that the filters of this room contain; any other one gives BPF_RUN_BROKEN.
 * Classic BPF jumps forwards only, so a run never takes more steps than the program has
 * instructions.
 */
#ifndef SANDLOCK_SECCOMP_BPF_RUN_H
#define SANDLOCK_SECCOMP_BPF_RUN_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BPF_RUN_BROKEN 0xdeadbeefU /* not an action of the kernel */

struct bpf_answer {
	uint32_t action; /* SECCOMP_RET_… with its data */
	unsigned int steps;
	bool saw_args; /* the result depends on more than the number and the architecture */
};

struct bpf_answer bpf_run(
	const struct sock_filter *insns, size_t n, const struct seccomp_data *data);

#endif
