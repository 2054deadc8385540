/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls that the domain thread of init makes after its last filter is installed, and that its
 * child makes until its execve(2). If the bundle's profile permits all of them, it is installed on
 * the thread itself, and the children inherit it. Otherwise it can only be installed last, in each
 * child.
 *
 * tests/unit/init/needs.c runs a spawn under a filter that kills at every other call.
 */
#ifndef SANDLOCK_CONFINE_NEEDS_H
#define SANDLOCK_CONFINE_NEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/seccomp/profile.h"

struct confine_need {
	int nr;
	uint64_t args[PROFILE_ARGS]; /* the arguments of the call; where they vary, an example */
	const char *why;
};

extern const struct confine_need confine_needs[];
extern const size_t confine_n_needs;

/* Returns the first call of the list that the profile does not simply permit; NULL: there is
 * none. */
const struct confine_need *needs_first_refused(const struct profile *p);

#endif
