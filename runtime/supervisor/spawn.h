/* SPDX-License-Identifier: Apache-2.0
 *
 * What clients (runtime/container) use of the supervisor: they start one.
 */
#ifndef SANDLOCK_SUPERVISOR_SPAWN_H
#define SANDLOCK_SUPERVISOR_SPAWN_H

#include <sys/types.h>

#include "runtime/plan/plan.h"

struct supervisor_job {
	const struct plan *plan;
	/* holds plan and spec; the supervisor frees its copy when the workload is ready to start */
	struct arena *arena;
	int dir_fd;   /* the state directory, which is reserved and locked */
	int image_fd; /* of the runtime's file (base/image.h); or -1 */
	int proxy_fd; /* the program of the HTTP proxy; -1: no rule needs it */
	/* The descriptors that become 0, 1 and 2: each is above 2 or already the right one.
	 * NULL: the client's own. */
	const int *stdio_fds;
	int n_preserve; /* descriptors 3 … 2+n of the client go to the workload */
	bool terminal;  /* make a terminal for the main process; the client gets its master */
	/* the workload runs when the client is told, without waiting for START; for bundles
	 * without startContainer and poststart hooks */
	bool start;
	bool keep_stdio; /* stdio belongs to the caller, who goes on using it */
	/* supervisor_run_here(): where the state directory is removed at the end; -1: it stays */
	int state_root_fd;
	bool tell_end; /* with start: conn_fd gets CONTROL_EXITED at the end */
};

struct supervisor_ready {
	pid_t pid;     /* the tracked process */
	int master_fd; /* of the terminal, or -1; the caller owns it */
	/* an open control connection (control.h) to the supervisor; the caller owns it */
	int conn_fd;
};

/* Forks the supervisor and waits until the workload is ready to start, or runs. On failure
 * everything that was made is removed, except for the state directory, which belongs to the
 * caller. */
int supervisor_spawn(
	const struct supervisor_job *job, struct supervisor_ready *ret, struct sl_err *err);

/* The same in the calling process, which becomes the tracked process and stays in its session
 * and process group; for a job with start and keep_stdio and without a terminal. Returns when
 * the container has ended, with *ret_status as of wait(2), or with an error when it could not be
 * made. In both cases the process may be confined to the tree afterwards: paths then name other
 * files than before, open descriptors stay valid. Takes image_fd and dir_fd, and gives up the
 * lock of dir_fd as soon as there is a record. */
int supervisor_run_here(const struct supervisor_job *job, int *ret_status, struct sl_err *err);

#endif
