/* SPDX-License-Identifier: Apache-2.0
 *
 * Work that may wait is done by a child that is forked for it, while the loop goes on. The child
 * has a copy of this process' memory and only those descriptors that the job names. When it has
 * ended, the processes that it made become children of this process (PR_SET_CHILD_SUBREAPER,
 * prctl(2)). A child that dies makes its own job fail, and nothing else.
 */
#ifndef SANDLOCK_SHIM_WORKER_WORKER_H
#define SANDLOCK_SHIM_WORKER_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/err.h"
#include "runtime/loop/loop.h"

#define WORKER_FDS      2
#define WORKER_KEEP_MAX 5

/* Longer than creating a container can take; hooks have timeouts of their own. */
#define WORKER_LIMIT_MS (10 * 60 * 1000)

/* The result of a job. The receiver owns the descriptors; -1: there is none. */
struct worker_result {
	bool died; /* it was killed, and may have done a part; the error says so as well */
	pid_t pid;
	int fds[WORKER_FDS];
	const void *bytes; /* at most WORKER_BYTES_MAX; valid during the callback */
	size_t n_bytes;
};

#define WORKER_BYTES_MAX (16UL << 20)

struct workers {
	struct loop *loop;
	struct worker *first;
	size_t n;
};

struct worker_job {
	/* Called in the child: returns 0, or -1 with the error. */
	int (*run)(const void *arg, struct worker_result *ret, struct sl_err *err);
	const void *arg;
	int keep_fds[WORKER_KEEP_MAX]; /* the child keeps these; -1: none */
	size_t n_keep;
	/* Called by the loop; err NULL: the job has succeeded. */
	void (*done)(void *ctx, struct worker_result *r, const struct sl_err *err);
	void *ctx;
};

int worker_start(struct workers *w, const struct worker_job *job, struct sl_err *err);

/* To be called when a child was reaped. Returns whether it was a worker. */
bool worker_reaped(struct workers *w, pid_t pid);
/* Delivers the results that have arrived, without waiting for the loop. */
void worker_collect(struct workers *w);

#endif
