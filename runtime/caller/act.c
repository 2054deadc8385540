/* SPDX-License-Identifier: Apache-2.0
 *
 * Takes the identity of another user for one system call. The saved user id stays the supervisor's,
 * which is the way back. The supervisor has one thread, so raw system calls are enough.
 */
#include <linux/capability.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/caller/caller.h"

/* Sets the effective capabilities to those in `more` and those that are effective and in `keep`. */
static int effective(uint64_t keep, uint64_t more, uint64_t *ret_before)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	uint64_t before;

	if (syscall(SYS_capget, &head, data) < 0)
		return -1;
	before = (uint64_t)data[1].effective << 32 | data[0].effective;
	more |= before & keep;
	for (int i = 0; i < 2; i++)
		data[i].effective = (uint32_t)(more >> (32 * i)) & data[i].permitted;
	if (ret_before)
		*ret_before = before;
	return (int)syscall(SYS_capset, &head, data);
}

/* In a user namespace whose maker may not set groups nobody may (user_namespaces(7)). */
static int take_groups(struct act *a)
{
	const struct caller *who = a->who;
	gid_t own[CALLER_GROUPS_MAX];
	long n;

	a->keeps_groups = false;
	if (syscall(SYS_setgroups, who->n_groups, who->groups) == 0)
		return 0;
	a->keeps_groups = errno == EPERM;
	if (!a->keeps_groups)
		return -1;
	n = syscall(SYS_getgroups, CALLER_GROUPS_MAX, own);
	if (n == (long)who->n_groups && memcmp(own, who->groups, (size_t)n * sizeof(*own)) == 0)
		return 0;
	errno = EPERM;
	return -1;
}

static int become(struct act *a)
{
	const struct caller *who = a->who;
	const uid_t real = a->account ? a->account : (uid_t)-1;

	if (take_groups(a) < 0 || syscall(SYS_setresgid, who->gid, who->gid, -1) < 0)
		return -1;
	/* In a user namespace that does not have this uid the kernel charges the pod's queues to
	 * the namespace's root. */
	if (syscall(SYS_setresuid, real, who->uid, -1) < 0 &&
		(errno != EINVAL || syscall(SYS_setresuid, -1, who->uid, -1) < 0))
		return -1;
	return effective(0, a->caps, NULL);
}

void act_end(const struct act *a)
{
	int saved = errno;

	if (!a->who)
		effective(0, a->before, NULL);
	/* It would be worse to continue as another user than to end the container. */
	else if (syscall(SYS_setresuid, a->own_uid, a->own_uid, a->own_uid) < 0 ||
		 effective(0, a->before, NULL) < 0 ||
		 syscall(SYS_setresgid, a->own_gid, a->own_gid, a->own_gid) < 0 ||
		 (syscall(SYS_setgroups, 0, NULL) < 0 && !a->keeps_groups))
		_exit(1);
	errno = saved;
}

int act_begin(struct act *a)
{
	if (!a->who)
		return effective(~0ULL, a->caps, &a->before);
	a->own_uid = geteuid();
	a->own_gid = getegid();
	if (effective(0, 1ULL << CAP_SETUID | 1ULL << CAP_SETGID, &a->before) < 0)
		return -1;
	if (become(a) == 0)
		return 0;
	act_end(a);
	return -1;
}

/* setfsuid(2) and setfsgid(2) return the id before the call and report no error, so a second call
 * checks the result. */
static int take_file_ids(const struct act *a)
{
	const struct caller *who = a->who;

	if (who->fs_uid == who->uid && who->fs_gid == who->gid)
		return 0;
	if (effective(0, 1ULL << CAP_SETUID | 1ULL << CAP_SETGID, NULL) < 0)
		return -1;
	syscall(SYS_setfsgid, who->fs_gid);
	syscall(SYS_setfsuid, who->fs_uid);
	if ((gid_t)syscall(SYS_setfsgid, -1) != who->fs_gid ||
		(uid_t)syscall(SYS_setfsuid, -1) != who->fs_uid) {
		errno = EPERM;
		return -1;
	}
	return effective(0, a->caps, NULL);
}

int act_begin_on_path(struct act *a)
{
	if (act_begin(a) < 0)
		return -1;
	if (take_file_ids(a) == 0)
		return 0;
	act_end(a);
	return -1;
}
