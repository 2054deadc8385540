/* SPDX-License-Identifier: Apache-2.0
 *
 * linux.seccomp in the words of libseccomp (seccomp_rule_add(3)).
 */
#ifndef SANDLOCK_TESTS_HELPERS_SCMP_H
#define SANDLOCK_TESTS_HELPERS_SCMP_H

#include <seccomp.h>

#include "spec/spec.h"

static inline struct scmp_arg_cmp scmp_condition(const struct spec_seccomp_arg *arg)
{
	static const enum scmp_compare ops[] = {
		[SPEC_SECCOMP_NE] = SCMP_CMP_NE,
		[SPEC_SECCOMP_LT] = SCMP_CMP_LT,
		[SPEC_SECCOMP_LE] = SCMP_CMP_LE,
		[SPEC_SECCOMP_EQ] = SCMP_CMP_EQ,
		[SPEC_SECCOMP_GE] = SCMP_CMP_GE,
		[SPEC_SECCOMP_GT] = SCMP_CMP_GT,
		[SPEC_SECCOMP_MASKED_EQ] = SCMP_CMP_MASKED_EQ,
	};

	return (struct scmp_arg_cmp){ arg->index, ops[arg->op], arg->value, arg->value_two };
}

#endif
