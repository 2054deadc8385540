/* SPDX-License-Identifier: Apache-2.0
 *
 * Work that may wait for as long as a file system likes: a child does it, for a second at most. One
 * that takes longer is killed. Where even that has to wait for the file system, no other one is
 * begun until it is gone: whoever has one of these has at most one process that waits, and waits
 * for it once.
 */
#ifndef SANDLOCK_BASE_BRIEF_H
#define SANDLOCK_BASE_BRIEF_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#define BRIEF_MS 1000

/* clone(2): what closes has the descriptors of who asks for it. */
#define BRIEF_CLOSE_FLAGS (CLONE_FILES | SIGCHLD)

struct brief {
	pid_t stuck; /* a child that was killed and not waited for yet; 0: none */
};

/* run() is called in a fork of this process, whose descriptors it closes but for what it needs: a
 * child that is stuck would keep them. It returns 0, or -1 with errno. So does this; EIO: it took
 * too long, or an earlier one does still. */
int brief_run(struct brief *b, int (*run)(void *ctx), void *ctx);

/* Whether one is there that does not end. */
bool brief_is_stuck(struct brief *b);

/* Closes it, keeping errno. The file system of a file is asked for that (FUSE, NFS): a child does
 * it, which has the same descriptors, unless it is clear that nobody is asked. */
void brief_close(struct brief *b, int *fd);

#endif
