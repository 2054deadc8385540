/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this room share.
 */
#ifndef SANDLOCK_CONTAINER_INTERNAL_H
#define SANDLOCK_CONTAINER_INTERNAL_H

#include "runtime/container/container.h"
#include "runtime/members/members.h"
#include "runtime/plan/plan.h"

/* How long a call waits for another call on the same container. */
#define CONTAINER_LOCK_MS 10000

void container_log(const struct runtime *rt, enum runtime_level level, const char *text);

/* Returns the set of its members; valid while c and *ret_mounts are. */
struct members container_members(const struct container *c, struct members_mounts *ret_mounts);

/* Reads the statistics that its supervisor has stored at the end. */
int container_read_left(const struct container *c, struct control_stats *ret, struct sl_err *err);

/* Adds a limit of open files to the process, unless it has one. */
void container_limit_open_files(
	struct arena *a, const struct rlimit *limit, struct spec_process *p);

/* Kills all its processes, in whatever state it is, and waits for their end. */
int container_destroy(const struct container *c, struct sl_err *err);

/* Readiness (sd_notify(3)): the caller's socket is outside of the container, so the process does
 * not get it. It gets a socket in the container's state directory instead, which is mounted at
 * /run/notify. _plan() adds the mount and the variable, _make() makes the directory to mount,
 * _open() listens on the socket. */
void container_notify_plan(const struct runtime *rt, struct plan_request *request);
int container_notify_make(int dir_fd, struct sl_err *err);
int container_notify_open(int dir_fd, int *ret_fd, struct sl_err *err);

/* The hooks that run after the event (runtime.md, "Lifecycle"). A failure of poststart ends the
 * container. A failure of poststop is a warning, and the others still run. */
int container_poststart(const struct runtime *rt, const struct container *c, struct sl_err *err);
void container_poststop(const struct runtime *rt, const struct container *c);

/* Opens the program of the HTTP proxy; *ret_fd -1: no rule needs it. */
int container_open_proxy(
	const struct runtime *rt, const struct plan_http *plan, int *ret_fd, struct sl_err *err);

#endif
