/* SPDX-License-Identifier: Apache-2.0
 *
 * Signal masks of processes that nobody inside a container may end. sigfillset(3) leaves out
 * the two that the C library keeps for itself (32 and 33), and sigprocmask(3) takes them out
 * again: to a process that may be signalled they are deadly like any other.
 */
#ifndef SANDLOCK_BASE_SIGNALS_H
#define SANDLOCK_BASE_SIGNALS_H

#include <signal.h>

#define SIGNALS_LIBRARY_FIRST 32 /* SIGCANCEL, SIGSETXID of the C library */
#define SIGNALS_LIBRARY_LAST  33

/* Every signal of the kernel's, for signalfd(2) too, which takes a set as it is. */
void signals_fill(sigset_t *ret);

/* Blocks them all in the calling thread; threads and children inherit it. Returns 0, or -1 with
 * errno. */
int signals_block_all(void);

/* One of them again, whichever it is. */
int signals_unblock(int sig);

#endif
