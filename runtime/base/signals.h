/* SPDX-License-Identifier: Apache-2.0
 *
 * Signal masks for processes that nobody in a container may end. sigfillset(3) leaves out the two
 * signals that the C library reserves for itself (32 and 33), and sigprocmask(3) does not block
 * them. They would end such a process like any other signal.
 */
#ifndef SANDLOCK_BASE_SIGNALS_H
#define SANDLOCK_BASE_SIGNALS_H

#include <signal.h>

#define SIGNALS_LIBRARY_FIRST 32 /* SIGCANCEL, SIGSETXID of the C library */
#define SIGNALS_LIBRARY_LAST  33

/* Fills the set with every signal of the kernel. It can also be used for signalfd(2). */
void signals_fill(sigset_t *ret);

/* Blocks all signals in the calling thread. New threads and children inherit this. Returns 0, or -1
 * with errno. */
int signals_block_all(void);

/* Unblocks one signal, which may be one of the C library's. */
int signals_unblock(int sig);

#endif
