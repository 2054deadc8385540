/* SPDX-License-Identifier: Apache-2.0
 *
 * A client in the foreground: it forwards signals, relays a terminal if there is one, and
 * returns when the process has ended.
 */
#ifndef SANDLOCK_TTY_ATTACH_H
#define SANDLOCK_TTY_ATTACH_H

#include <signal.h>

#include "runtime/base/err.h"

struct attach {
	int end_fd; /* readable at the end of the process: a pidfd, or the control connection */
	/* of the terminal, taken by attach_wait(); -1: the process uses this client's stdio */
	int master_fd;
	void (*on_signal)(int sig, void *ctx);
	int also_fd; /* another descriptor to watch, or -1 */
	void (*on_also)(void *ctx);
	void *ctx;
};

/* Blocks all signals for attach_wait(). Call this before the process is started, so that no
 * signal is lost. */
void attach_block_signals(void);

/* Returns 0 at the end, or -1 if output could not be written, unless it is because the reader
 * has closed its end (EPIPE). Restores the user's terminal. The rest of the output is lost if
 * its reader takes nothing for three seconds after the end, or if a signal comes meanwhile. */
int attach_wait(const struct attach *at, struct sl_err *err);

#endif
