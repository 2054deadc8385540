/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles written as literals, compiled, and put around a child.
 */
#ifndef SANDLOCK_TESTS_UNIT_SECCOMP_PROFILE_RUN_H
#define SANDLOCK_TESTS_UNIT_SECCOMP_PROFILE_RUN_H

#include "runtime/seccomp/profile.h"
#include "tests/unit/check.h"
#include "tests/unit/confine/child.h"

/* Literals stand here for the strings of a loaded document, which are not const. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wincompatible-pointer-types-discards-qualifiers"
#else
#pragma GCC diagnostic ignored "-Wdiscarded-qualifiers"
#endif

#define NAMES(...)                                                                                 \
	.names = (char *[]){ __VA_ARGS__ },                                                        \
	.n_names = sizeof((char *[]){ __VA_ARGS__ }) / sizeof(char *)
#define ARGS(...)                                                                                  \
	.args = (struct spec_seccomp_arg[]){ __VA_ARGS__ },                                        \
	.n_args = sizeof((struct spec_seccomp_arg[]){ __VA_ARGS__ }) /                             \
		  sizeof(struct spec_seccomp_arg)
#define RULES(...)                                                                                 \
	.rules = (struct spec_seccomp_rule[]){ __VA_ARGS__ },                                      \
	.n_rules = sizeof((struct spec_seccomp_rule[]){ __VA_ARGS__ }) /                           \
		   sizeof(struct spec_seccomp_rule)

struct profile_call {
	const struct profile *profile;
	long nr;
	long args[3];
};

static inline int profile_body(const void *arg)
{
	const struct profile_call *c = arg;

	if (child_filter(c->profile->insns, c->profile->n, c->profile->flags) < 0)
		return 255;
	return child_errno(syscall(c->nr, c->args[0], c->args[1], c->args[2], -1L, -1L, -1L));
}

/* The errno of one call under the profile, or minus a signal. */
static inline int profile_try(const struct profile *p, long nr, long a, long b, long c)
{
	const struct profile_call call = { p, nr, { a, b, c } };

	return child_run(profile_body, &call);
}

#endif
