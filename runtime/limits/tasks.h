/* SPDX-License-Identifier: Apache-2.0
 *
 * linux.resources.pids.limit: how many processes and threads a container may have, with zombies,
 * as a pids cgroup counts. With such a limit the filter traps fork(2), vfork(2) and clone(2). At
 * the limit the call fails with EAGAIN, after a short delay, so that a fork bomb sleeps and
 * leaves the processors to others.
 *
 * Most calls need no look at /proc: the result of the last count and the number of calls allowed
 * since are known. The tasks are counted again only when their sum reaches the limit, and rarely
 * enough to take at most a tenth of a processor; calls wait for the count meanwhile. A call that
 * was allowed counts as a task even before it happens, so the limit is never exceeded.
 *
 * init's own calls are always allowed, because `exec` needs them. Errors: the supervisor never
 * exits because of an error, it denies the call.
 */
#ifndef SANDLOCK_LIMITS_TASKS_H
#define SANDLOCK_LIMITS_TASKS_H

#include "runtime/loop/loop.h"
#include "runtime/members/members.h"
#include "runtime/notif/notif.h"

struct tasks;

struct tasks_setup {
	const struct members *members;
	struct loop *loop;
	pid_t init_tid; /* thread id of init's thread that forks */
	uint64_t limit;
};

/* Returns NULL with errno on failure. Tasks are counted at the first call. */
struct tasks *tasks_open(const struct tasks_setup *setup);
void tasks_set_limit(struct tasks *t, uint64_t limit); /* UINT64_MAX: no limit */
uint64_t tasks_limit(const struct tasks *t);
uint64_t tasks_refused(const struct tasks *t); /* number of refused calls; it never decreases */

/* The handler of these calls; ctx is a struct tasks. */
void tasks_on_fork(const struct notif_call *c, struct notif_verdict *v, void *ctx);

#endif
