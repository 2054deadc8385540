/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/confine: the decision of one row of syscalls.def as a piece of filter.
 */
#ifndef SANDLOCK_CONFINE_FILTER_RULES_H
#define SANDLOCK_CONFINE_FILTER_RULES_H

#include "runtime/seccomp/bpf.h"
#include "runtime/confine/filter.h"
#include "runtime/seccomp/syscalls.h"

#define FILTER_SHIELDED 4

struct filter_rules {
	const struct filter_params *params;
	struct bpf *b;
	uint32_t shielded[FILTER_SHIELDED]; /* ids of the supervisor and of init's three threads */
	uint32_t negated[FILTER_SHIELDED];  /* the same as process groups of kill(2) */
};

void filter_rules_begin(struct filter_rules *r, const struct filter_params *p, struct bpf *b);

/* What a verdict comes to with these parameters: those that depend on one parameter only
 * become ALLOW or REFUSE. */
enum syscall_verdict filter_resolve(const struct filter_params *p, const struct syscall_row *row);

/* Writes the decision. The nodes of ALLOW, REFUSE and ABSENT are plain returns. */
bpf_node filter_rule(struct filter_rules *r, enum syscall_verdict verdict, int arg);

#endif
