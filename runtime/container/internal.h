/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this room share.
 */
#ifndef SANDLOCK_CONTAINER_INTERNAL_H
#define SANDLOCK_CONTAINER_INTERNAL_H

#include "runtime/container/container.h"
#include "runtime/members/members.h"
#include "runtime/plan/plan.h"

/* How long a call waits for another one on the same container. */
#define CONTAINER_LOCK_MS 10000

void container_log(const struct runtime *rt, enum runtime_level level, const char *text);

/* Who belongs to it; valid while c and *ret_mounts are. */
struct members container_members(const struct container *c, struct members_mounts *ret_mounts);

/* What its supervisor has left behind. */
int container_read_left(const struct container *c, struct control_stats *ret, struct sl_err *err);

/* Of the process, unless it names one itself. */
void container_limit_open_files(
	struct arena *a, const struct rlimit *limit, struct spec_process *p);

/* Kills everything of it, whatever state it is in, and waits. */
int container_destroy(const struct container *c, struct sl_err *err);

/* Readiness (sd_notify(3)): the caller's socket is outside of the container, so it is not handed
 * on. The process gets one in the container's state directory instead, bound to /run/notify. The
 * first adds the mount and the variable, the second makes what is mounted, the third listens there.
 */
void container_notify_plan(const struct runtime *rt, struct plan_request *request);
int container_notify_make(int dir_fd, struct sl_err *err);
int container_notify_open(int dir_fd, int *ret_fd, struct sl_err *err);

/* The hooks of the record that come after the fact (runtime.md, "Lifecycle"): a failure of
 * poststart ends the container; one of poststop is a warning, and the others still run. */
int container_poststart(const struct runtime *rt, const struct container *c, struct sl_err *err);
void container_poststop(const struct runtime *rt, const struct container *c);

/* The program of the HTTP proxy; *ret_fd -1: no rule needs it. */
int container_open_proxy(
	const struct runtime *rt, const struct plan_http *plan, int *ret_fd, struct sl_err *err);

#endif
