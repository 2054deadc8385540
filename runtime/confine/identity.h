/* SPDX-License-Identifier: Apache-2.0
 *
 * User, groups and capabilities of the calling thread (credentials(7), capabilities(7)).
 * Raw system calls: the C library's wrappers would broadcast to all threads, and init's
 * leader must keep its own credentials.
 */
#ifndef SANDLOCK_CONFINE_IDENTITY_H
#define SANDLOCK_CONFINE_IDENTITY_H

#include <sys/types.h>

#include "spec/spec.h"

struct identity {
	uint32_t uid;
	uint32_t gid;
	const gid_t *groups;
	size_t n_groups;
	const struct spec_caps *caps;
};

/* User, groups and all five sets, in the order that works. Return 0, or -1 with errno. */
int identity_become(const struct identity *id);

/* Only the five sets, bounding first. */
int identity_apply_caps(const struct spec_caps *caps);

/* Lowers the effective, permitted and inheritable sets; one capset(2), nothing else. */
int identity_lower_caps(const struct spec_caps *caps);

/* Only the effective and permitted set: for a process that can never execute another
 * program, so that the bounding set has no meaning for it. lent: of keep, permitted only. */
int identity_hold_caps(uint64_t keep, uint64_t lent);

#endif
