/* SPDX-License-Identifier: Apache-2.0
 *
 * Work that may wait, done by a child that is forked for it, while the loop goes on. The child has
 * this process' memory as it was, and of its descriptors the ones that are named; what it makes is
 * this process' child once it has ended (PR_SET_CHILD_SUBREAPER, prctl(2)). A child that dies fails
 * its work, and nothing else.
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

/* Longer than anything that a container's making waits for; hooks have limits of their own. */
#define WORKER_LIMIT_MS (10 * 60 * 1000)

/* What comes of it. Descriptors are the receiver's, -1 where there is none. */
struct worker_result {
	pid_t pid;
	int fds[WORKER_FDS];
	const void *bytes; /* at most WORKER_BYTES_MAX; they last as long as the callback */
	size_t n_bytes;
};

#define WORKER_BYTES_MAX (16UL << 20)

struct workers {
	struct loop *loop;
	struct worker *first;
	size_t n;
};

struct worker_job {
	/* In the child: returns 0, or -1 with the error. */
	int (*run)(const void *arg, struct worker_result *ret, struct sl_err *err);
	const void *arg;
	int keep_fds[WORKER_KEEP_MAX]; /* the child has these; -1: none */
	size_t n_keep;
	/* err NULL: it is done. */
	void (*done)(void *ctx, struct worker_result *r, const struct sl_err *err);
	void *ctx;
};

int worker_start(struct workers *w, const struct worker_job *job, struct sl_err *err);

/* A child was reaped. Returns whether it was one of these. */
bool worker_reaped(struct workers *w, pid_t pid);
/* Hands out the results that are there already, before the loop comes to it. */
void worker_collect(struct workers *w);

#endif
