/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/confine: the filter of a process of the runtime itself (seccomp(2)). It is a list
 * of permitted calls; every other call fails with EPERM.
 */
#ifndef SANDLOCK_CONFINE_OWN_FILTER_H
#define SANDLOCK_CONFINE_OWN_FILTER_H

#include <errno.h>

#include "runtime/seccomp/bpf_tree.h"

#define OWN_FILTER_NUMBERS 512
#define OWN_FILTER_DENY    ((uint32_t)SECCOMP_RET_ERRNO | EPERM)

/* decide() returns SECCOMP_RET_ALLOW, OWN_FILTER_DENY or a number of the caller's choice, for which
 * leaf() writes the code. Returns 0, or -1 with errno. */
int own_filter_install(uint64_t (*decide)(uint32_t nr, const void *context),
	bpf_node (*leaf)(void *context, struct bpf *b, uint64_t decision), void *context);

#endif
