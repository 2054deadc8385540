/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/seccomp: a profile as a list of clauses for each native call.
 */
#ifndef SANDLOCK_SECCOMP_PROFILE_CLAUSES_H
#define SANDLOCK_SECCOMP_PROFILE_CLAUSES_H

#include "runtime/seccomp/bpf.h"
#include "spec/spec.h"

#define PROFILE_NUMBERS 512 /* more than the newest number of syscalls.def */

/* The action applies if all conditions are true. A clause without conditions always applies. */
struct clause {
	uint32_t action;
	const struct spec_seccomp_arg *args;
	size_t n_args;
	struct clause *next;
};

struct clauses {
	uint32_t default_action;
	int newest; /* the largest number in a rule; -1: none */
	struct clause *of[PROFILE_NUMBERS];
};

/* Adds one rule of the profile. The clauses are allocated in the arena. */
int clauses_add(struct arena *a, struct clauses *c, const struct spec_seccomp_rule *rule,
	uint32_t action, struct sl_err *err);

/* Writes the code for the call with this number. */
bpf_node clauses_write(struct bpf *b, const struct clauses *c, int nr);

#endif
