/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls that init's domain thread makes after its last filter is on, and that a child
 * of it makes until its execve. A profile of the bundle that lets all of them pass is put on
 * the thread itself, so that its children are under it from birth; one that does not can
 * only come on last, in each child.
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
	uint64_t args[PROFILE_ARGS]; /* as it is called; what varies from call to call is an example
				      */
	const char *why;
};

extern const struct confine_need confine_needs[];
extern const size_t confine_n_needs;

/* The first call of the list that the profile does not simply let pass; NULL: none. */
const struct confine_need *needs_first_refused(const struct profile *p);

#endif
