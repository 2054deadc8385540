/* SPDX-License-Identifier: Apache-2.0
 *
 * What the clients (runtime/cmd, later the shim) use of the supervisor: start one.
 */
#ifndef SANDLOCK_SUPERVISOR_SPAWN_H
#define SANDLOCK_SUPERVISOR_SPAWN_H

#include <sys/types.h>

#include "runtime/plan/plan.h"

struct supervisor_job {
	const struct plan *plan;
	struct arena *arena; /* holds plan and spec; the supervisor frees its copy when the
			      * workload is parked */
	int dir_fd;          /* the reserved and locked state directory */
	int image_fd;        /* base/image.h; or -1 */
	int proxy_fd;        /* the program of the HTTP proxy; -1: no rule needs it */
	/* What becomes 0, 1 and 2, each above 2 or in its place already; NULL: the client's. */
	const int *stdio_fds;
	int n_preserve;    /* descriptors 3 … 2+n of the client go to the workload */
	bool terminal;     /* make a terminal for the main process; its master comes back */
	bool start;        /* the workload is not parked: it runs when the caller is told; for
			    * bundles without hooks in between (startContainer, poststart) */
	bool keep_stdio;   /* it is the caller's, who goes on with it */
	int state_root_fd; /* supervisor_run_here(): the state directory is removed below it at the
			    * end; -1: it stays */
	bool tell_end;     /* with start: the end is told on conn_fd (CONTROL_EXITED) */
};

struct supervisor_ready {
	pid_t pid;     /* the tracked process */
	int master_fd; /* of the terminal, or -1; the caller's */
	int conn_fd;   /* a control connection (control.h) to it, open already; the caller's */
};

/* Forks the supervisor and waits until the workload is parked, or runs. On failure everything that
 * was made is gone again, except for the state directory, which is the caller's. */
int supervisor_spawn(
	const struct supervisor_job *job, struct supervisor_ready *ret, struct sl_err *err);

/* The same in the calling process, which is the tracked one then and stays in its session and
 * group: for a job with start and keep_stdio, without a terminal. Returns when
 * the container has ended, *ret_status as of wait(2), or with the error of its making. Either way
 * the process may be confined to the tree by then: a path means another file than before, a
 * descriptor does not. image_fd is taken, and dir_fd: its lock is given up as soon as there is a
 * record. */
int supervisor_run_here(const struct supervisor_job *job, int *ret_status, struct sl_err *err);

#endif
