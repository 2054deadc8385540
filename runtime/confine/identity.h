/* SPDX-License-Identifier: Apache-2.0
 *
 * User, groups and capabilities of the calling thread (credentials(7), capabilities(7)). These are
 * raw system calls: the C library's functions would change all threads, and the leader of init must
 * keep its credentials.
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

/* Sets user, groups and all five capability sets, in the necessary order. All functions here return
 * 0, or -1 with errno. */
int identity_become(const struct identity *id);

/* Sets only the five capability sets, the bounding set first. */
int identity_apply_caps(const struct spec_caps *caps);

/* Lowers the effective, permitted and inheritable sets with one capset(2). */
int identity_lower_caps(const struct spec_caps *caps);

/* Sets only the permitted and effective sets, for a process that cannot execute another program, so
 * that its bounding set has no effect. lent: capabilities of keep that are permitted but not
 * effective. */
int identity_hold_caps(uint64_t keep, uint64_t lent);

#endif
