/* SPDX-License-Identifier: Apache-2.0
 *
 * init: the first process of a container and the parent of everything in it. Three threads:
 *
 *   leader   stays outside the Landlock domain, so that nothing inside can signal, trace
 *            or even see it. It talks with the supervisor and reaps.
 *   domain   enters the domain (runtime/confine/steps.c), forks the workload and the
 *            exec'd processes, and is the one who signals "everything in the domain".
 *   fetcher  outside like the leader, puts what a child gets into the table of descriptors
 *            of the domain thread, which has nothing else in it (fetch.c says why).
 *
 * init dies only after everything of the container is gone: when the main process ends,
 * when the supervisor says END, or when the supervisor disappears (end of file).
 * Failure regime: report and _exit before CONFINED; afterwards never die, report.
 */
#ifndef SANDLOCK_INIT_INIT_H
#define SANDLOCK_INIT_INIT_H

#include "runtime/base/err.h"
#include "runtime/init/proto.h"

/* What the container's mount namespace is made of; -1: it has none. */
struct init_namespace {
	int empty_fd; /* the namespace of nothing that it is a copy of (mount_namespaces(7)) */
	int root_fd;  /* init's root directory in it, until it is confined: the caller's */
};

/* Forks init. channel_fd is init's end of the pair and is closed in the caller. */
int init_fork(int channel_fd, const struct init_namespace *ns, pid_t *ret_pid, struct sl_err *err);

#endif
