/* SPDX-License-Identifier: Apache-2.0
 *
 * linux.resources.pids.limit: how many processes and threads a container has at most, zombies too,
 * as a pids cgroup counts. The filter asks about fork(2), vfork(2) and clone(2) where there is such
 * a limit. Who finds it reached gets EAGAIN, a moment later: a bomb sleeps then, and the machine
 * has its processors for others.
 *
 * Most calls cost no look at /proc: what was counted last and what was allowed since is known. Only
 * where that comes to the limit is counted anew, seldom enough that it takes a tenth of the
 * processor at most; who asks meanwhile waits for it. What was allowed and has not happened yet
 * counts as if it had: so the limit is never exceeded by those who are slow.
 *
 * init's own calls are always allowed: they make what exec asks for.
 * Failure regime: never die, deny.
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
	pid_t init_tid; /* of init's thread that forks */
	uint64_t limit;
};

/* Returns it, or NULL with errno. Nothing is counted before the first call. */
struct tasks *tasks_open(const struct tasks_setup *setup);
void tasks_set_limit(struct tasks *t, uint64_t limit); /* UINT64_MAX: none */
uint64_t tasks_limit(const struct tasks *t);
uint64_t tasks_refused(const struct tasks *t); /* calls; it never decreases */

/* Decides; ctx: struct tasks. */
void tasks_on_fork(const struct notif_call *c, struct notif_verdict *v, void *ctx);

#endif
