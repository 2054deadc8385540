/* SPDX-License-Identifier: Apache-2.0
 *
 * Who calls: what proc(5) says of a thread whose call is pending, and being that one for a call of
 * our own.
 */
#ifndef SANDLOCK_CALLER_CALLER_H
#define SANDLOCK_CALLER_CALLER_H

#include "runtime/base/proc_status.h"
#include "runtime/notif/notif.h"

#define CALLER_GROUPS_MAX PROC_GROUPS_MAX /* one with more is refused */

struct caller {
	uid_t uid; /* effective */
	gid_t gid;
	uid_t fs_uid; /* for files: another one after setfsuid(2) */
	gid_t fs_gid;
	gid_t groups[CALLER_GROUPS_MAX];
	size_t n_groups;
	uint64_t caps; /* effective */
	uint64_t permitted;
	mode_t umask;
	pid_t tgid;
};

/* Of the caller and nobody else: what another thread of it executes meanwhile has its number, and
 * may have another user (a set-id program). Returns 0, or -1 with errno. */
int caller_read(const struct notif_call *c, struct caller *ret);
bool caller_has_cap(const struct caller *who, int cap);
bool caller_in_group(const struct caller *who, gid_t gid);

/* Being a caller for one system call (credentials(7), capabilities(7)). */
struct act {
	const struct caller *who; /* NULL: ourselves, with these capabilities more */
	uint32_t account;         /* the real user while it lasts, 0: unchanged */
	uint64_t caps;            /* effective while it lasts, of what we may have ourselves */
	uint64_t before;
};

/* Returns 0, or -1 with errno and nothing changed. */
int act_begin(struct act *a);
/* The same for a call that goes by a path: with the caller's users for files. */
int act_begin_on_path(struct act *a);
void act_end(const struct act *a); /* errno stays */

#endif
