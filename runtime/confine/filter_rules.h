/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/confine: turns the decision of one row of syscalls.def into BPF code.
 */
#ifndef SANDLOCK_CONFINE_FILTER_RULES_H
#define SANDLOCK_CONFINE_FILTER_RULES_H

#include "runtime/confine/internal.h"
#include "runtime/seccomp/syscalls.h"

void filter_rules_begin(struct filter_rules *r, const struct filter_params *p, struct bpf *b);

/* The verdict with these parameters: a verdict that depends only on a parameter becomes ALLOW or
 * REFUSE. */
enum syscall_verdict filter_resolve(const struct filter_params *p, const struct syscall_row *row);

/* Writes the code for a verdict. ALLOW, REFUSE and ABSENT are plain returns. */
bpf_node filter_rule(struct filter_rules *r, enum syscall_verdict verdict, int arg);

#endif
