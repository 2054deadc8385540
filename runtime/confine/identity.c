/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/confine/identity.h"

#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"

/* Where the maker of a user namespace may not set groups, nobody in it may
 * (user_namespaces(7), /proc/pid/setgroups), not even to the groups that a process has. */
static bool has_groups(const gid_t *groups, size_t n)
{
	auto_free gid_t *now = calloc(n + 1, sizeof(*now));

	/* With more groups than fit, the call fails. */
	return now && syscall(SYS_getgroups, n + 1, now) == (long)n &&
	       memcmp(now, groups, n * sizeof(*groups)) == 0;
}

/* setgroups, setresgid, setresuid. The permitted capabilities survive the change (keepcaps), but
 * not the effective ones, so steps that need those come before. */
static int apply_user(uint32_t uid, uint32_t gid, const gid_t *groups, size_t n_groups)
{
	if (syscall(SYS_setgroups, n_groups, groups) < 0 &&
		(errno != EPERM || !has_groups(groups, n_groups)))
		return -1;
	if (syscall(SYS_setresgid, gid, gid, gid) < 0)
		return -1;
	if (prctl(PR_SET_KEEPCAPS, 1L, 0L, 0L, 0L) < 0)
		return -1;
	if (syscall(SYS_setresuid, uid, uid, uid) < 0)
		return -1;
	return prctl(PR_SET_KEEPCAPS, 0L, 0L, 0L, 0L);
}

static int drop_bounding(uint64_t keep)
{
	for (unsigned long cap = 0; cap < 64; cap++) {
		int there;

		if (keep & (1ULL << cap))
			continue;
		/* Reading is ten times cheaper than dropping, and in a process of the container
		 * most capabilities are dropped already. EINVAL: this kernel has no more
		 * capabilities. */
		there = prctl(PR_CAPBSET_READ, cap, 0L, 0L, 0L);
		if (there < 0)
			return errno == EINVAL ? 0 : -1;
		if (there && prctl(PR_CAPBSET_DROP, cap, 0L, 0L, 0L) < 0)
			return -1;
	}
	return 0;
}

static int set_three(uint64_t effective, uint64_t permitted, uint64_t inheritable)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	for (int i = 0; i < 2; i++) {
		data[i].effective = (uint32_t)(effective >> (32 * i));
		data[i].permitted = (uint32_t)(permitted >> (32 * i));
		data[i].inheritable = (uint32_t)(inheritable >> (32 * i));
	}
	return (int)syscall(SYS_capset, &head, data);
}

/* capset(2) and the ambient set. The bounding set must have been reduced before. */
static int set_all(const struct spec_caps *caps)
{
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0L, 0L, 0L) < 0)
		return -1;
	if (set_three(caps->effective, caps->permitted, caps->inheritable) < 0)
		return -1;
	for (unsigned long cap = 0; cap < 64; cap++)
		if ((caps->ambient & (1ULL << cap)) &&
			prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0L, 0L) < 0)
			return -1;
	return 0;
}

int identity_apply_caps(const struct spec_caps *caps)
{
	return drop_bounding(caps->bounding) < 0 ? -1 : set_all(caps);
}

int identity_hold_caps(uint64_t keep, uint64_t lent)
{
	const struct spec_caps caps = { .set = true, .permitted = keep, .effective = keep & ~lent };

	return set_all(&caps);
}

int identity_become(const struct identity *id)
{
	/* Dropping from the bounding set needs an effective CAP_SETPCAP. */
	if (drop_bounding(id->caps->bounding) < 0)
		return -1;
	if (apply_user(id->uid, id->gid, id->groups, id->n_groups) < 0)
		return -1;
	return set_all(id->caps);
}

int identity_lower_caps(const struct spec_caps *caps)
{
	return set_three(caps->effective, caps->permitted, caps->inheritable);
}
