/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/confine/own_filter.h"

#include <sys/syscall.h>
#include <unistd.h>

#define INSNS_MAX 512

/* The filter is a tree like that of the workload. The kernel runs a new filter once for each call
 * number, and a linear list would make every start slower (seccomp_cache_prepare() in
 * kernel/seccomp.c). */
int own_filter_install(uint64_t (*decide)(uint32_t nr, const void *context),
	bpf_node (*leaf)(void *context, struct bpf *b, uint64_t decision), void *context)
{
	const struct bpf_leaves leaves = { leaf, context };
	struct sock_filter insns[INSNS_MAX];
	struct sock_fprog prog = { .filter = insns };
	struct bpf_ranges ranges = { .n = 0 };
	struct bpf b;
	size_t n;

	for (uint32_t nr = 0; nr < OWN_FILTER_NUMBERS; nr++)
		if (bpf_ranges_add(&ranges, nr, decide(nr, context)) < 0)
			return -1;
	bpf_begin(&b, insns, INSNS_MAX);
	bpf_program(&b, &ranges, &leaves, OWN_FILTER_NUMBERS - 1, OWN_FILTER_DENY);
	if (bpf_finish(&b, &n) < 0)
		return -1;
	prog.len = (unsigned short)n;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog);
}
