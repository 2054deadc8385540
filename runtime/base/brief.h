/* SPDX-License-Identifier: Apache-2.0
 *
 * Work that may block as long as a file system likes. A child process does it, for a second at
 * most; then the child is killed. If the child cannot even be killed while the file system does not
 * answer, no other child is started until it is gone. So a struct brief has at most one blocked
 * process, and the caller waits for it only once.
 */
#ifndef SANDLOCK_BASE_BRIEF_H
#define SANDLOCK_BASE_BRIEF_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#define BRIEF_MS 1000

/* clone(2): the child that closes shares the descriptor table of its parent. */
#define BRIEF_CLOSE_FLAGS (CLONE_FILES | SIGCHLD)

struct brief {
	pid_t stuck; /* a child that was killed but not reaped yet; 0: none */
};

/* Calls run() in a forked child. run() must close all descriptors that it does not need, because a
 * blocked child would keep them open. run() returns 0, or -1 with errno, and so does brief_run().
 * EIO: the child took too long, or an earlier one is still blocked. */
int brief_run(struct brief *b, int (*run)(void *ctx), void *ctx);

/* Whether a killed child has not ended yet. */
bool brief_is_stuck(struct brief *b);

/* Closes the descriptor and keeps errno. Closing a file can ask its file system (FUSE, NFS).
 * Therefore a child that shares the descriptor table closes it, unless it is certain that nobody is
 * asked. */
void brief_close(struct brief *b, int *fd);

#endif
