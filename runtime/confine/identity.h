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

/* setgroups, setresgid, setresuid; permitted capabilities survive the change (keepcaps). */
int identity_apply_user(uint32_t uid, uint32_t gid, const gid_t *groups, size_t n_groups);

/* All five sets, bounding first. Return 0, or -1 with errno. */
int identity_apply_caps(const struct spec_caps *caps);

#endif
