/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/caller/caller.h"

#include <string.h>

#include "runtime/base/proc_status.h"

int caller_read(const struct notif_call *c, struct caller *ret)
{
	struct proc_status s;

	if (proc_read_status(c->proc_fd, c->pid, &s) < 0) {
		if (errno == EBADMSG)
			errno = EACCES;
		return -1;
	}
	if (s.more_groups) {
		errno = EACCES;
		return -1;
	}
	/* The check comes after the read: the status was that of the thread that called. */
	if (!notif_waits(c)) {
		errno = ESRCH;
		return -1;
	}
	*ret = (struct caller){
		.uid = s.uid.effective,
		.gid = s.gid.effective,
		.fs_uid = s.uid.files,
		.fs_gid = s.gid.files,
		.n_groups = s.n_groups,
		.caps = s.effective,
		.permitted = s.permitted,
		.umask = s.umask,
		.tgid = s.tgid,
	};
	memcpy(ret->groups, s.groups, s.n_groups * sizeof(gid_t));
	return 0;
}

bool caller_has_cap(const struct caller *who, int cap)
{
	return who->caps & 1ULL << cap;
}

bool caller_in_group(const struct caller *who, gid_t gid)
{
	if (who->gid == gid)
		return true;
	for (size_t i = 0; i < who->n_groups; i++)
		if (who->groups[i] == gid)
			return true;
	return false;
}
