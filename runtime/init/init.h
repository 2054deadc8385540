/* SPDX-License-Identifier: Apache-2.0
 *
 * init: the first process of a container and the parent of all others. It has three threads:
 *   - the leader stays outside the Landlock domain, so that no process inside can signal, trace
 *       or see it. It talks with the supervisor and reaps.
 *   - the domain thread enters the domain (runtime/confine/steps.c), forks the workload and the
 *       exec'd processes, and signals all processes of the domain.
 *   - the fetcher stays outside like the leader. It puts the descriptors for a child into the
 *       descriptor table of the domain thread, which holds nothing else (fetch.c says why).
 *
 * init exits only after all processes of the container have ended. It ends them when the main
 * process ends, when the supervisor sends END, and when the supervisor is gone (end of file).
 *
 * Errors: before CONFINED init reports an error and exits; afterwards it reports and goes on.
 */
#ifndef SANDLOCK_INIT_INIT_H
#define SANDLOCK_INIT_INIT_H

#include <stdbool.h>

#include "runtime/base/err.h"
#include "runtime/init/proto.h"

/* What init makes the container's mount namespace from; -1: the container has none. */
struct init_namespace {
	/* an empty mount namespace, of which init makes a copy (mount_namespaces(7)) */
	int empty_fd;
	bool once;   /* init takes the namespace itself: nobody else needs it */
	int root_fd; /* init's root directory in it until init is confined: that of the caller */
};

/* Forks init. channel_fd is init's end of the channel; this closes it in the caller. */
int init_fork(int channel_fd, const struct init_namespace *ns, pid_t *ret_pid, struct sl_err *err);

#endif
