/* SPDX-License-Identifier: Apache-2.0
 *
 * linux.seccomp of the bundle (config-linux.md, "Seccomp"), compiled into a second filter that is
 * installed after the default filter.
 */
#ifndef SANDLOCK_SECCOMP_PROFILE_H
#define SANDLOCK_SECCOMP_PROFILE_H

#include <linux/filter.h>

#include "spec/spec.h"

struct profile {
	struct sock_filter *insns; /* owned by the arena; NULL: there is no profile */
	size_t n;
	unsigned int flags; /* SECCOMP_FILTER_FLAG_… for seccomp(2) */
};

int profile_compile(struct arena *a, const struct spec_seccomp *seccomp, struct profile *ret,
	struct sl_err *err);

/* Whether the profile permits a call with these first arguments. */
#define PROFILE_ARGS 3
bool profile_passes(const struct profile *p, int nr, const uint64_t args[PROFILE_ARGS]);

/* The names for `features`, as NULL-terminated lists. */
const char *const *profile_actions(void);
const char *const *profile_operators(void);
const char *const *profile_archs(void);
const char *const *profile_known_flags(void);

#endif
