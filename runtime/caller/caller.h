/* SPDX-License-Identifier: Apache-2.0
 *
 * The caller of a trapped call: what proc(5) reports about it, and taking its identity for a call
 * that the supervisor makes.
 */
#ifndef SANDLOCK_CALLER_CALLER_H
#define SANDLOCK_CALLER_CALLER_H

#include "runtime/base/proc_status.h"
#include "runtime/notif/notif.h"

#define CALLER_GROUPS_MAX PROC_GROUPS_MAX /* a caller with more groups is refused */

struct caller {
	uid_t uid; /* effective */
	gid_t gid;
	uid_t fs_uid; /* file system uid: different after setfsuid(2) */
	gid_t fs_gid;
	gid_t groups[CALLER_GROUPS_MAX];
	size_t n_groups;
	uint64_t caps; /* effective */
	uint64_t permitted;
	mode_t umask;
	pid_t tgid;
};

/* Reads the identity of the caller. It certainly is the caller's: a program that another thread
 * executes meanwhile gets the same number, and may have another user (set-user-ID). Returns 0, or
 * -1 with errno. */
int caller_read(const struct notif_call *c, struct caller *ret);
bool caller_has_cap(const struct caller *who, int cap);
bool caller_in_group(const struct caller *who, gid_t gid);

/* An identity for one system call (credentials(7), capabilities(7)). */
struct act {
	/* NULL: the supervisor itself, with these capabilities in addition */
	const struct caller *who;
	uint32_t account; /* the real uid during the call; 0: unchanged */
	/* the effective capabilities during the call, as far as the supervisor has them */
	uint64_t caps;
	uint64_t before;
	/* of the supervisor, the way back */
	uid_t own_uid;
	gid_t own_gid;
	bool keeps_groups; /* nobody may set groups here; the caller must have the supervisor's */
};

/* Returns 0, or -1 with errno; then nothing has changed. */
int act_begin(struct act *a);
/* The same for a call with a path: takes the caller's file system ids too. */
int act_begin_on_path(struct act *a);
void act_end(const struct act *a); /* keeps errno */

#endif
