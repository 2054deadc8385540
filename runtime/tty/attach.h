/* SPDX-License-Identifier: Apache-2.0
 *
 * A client that stays in the foreground: forwards signals, relays a terminal when there is
 * one, and returns when the other side has ended.
 */
#ifndef SANDLOCK_TTY_ATTACH_H
#define SANDLOCK_TTY_ATTACH_H

#include <signal.h>

#include "runtime/base/err.h"

struct attach {
	int end_fd;    /* readable when it is over: a pidfd, or the control connection */
	int master_fd; /* of the terminal, taken; or -1: stdio was handed over whole */
	void (*on_signal)(int sig, void *ctx);
	int also_fd; /* something else to read from, or -1 */
	void (*on_also)(void *ctx);
	void *ctx;
};

/* Blocks all signals for attach_wait(); called before anything is started, so that none is
 * lost in between. */
void attach_block_signals(void);

/* Returns 0 at the end, or -1 when output could not be written for another reason than that
 * nobody reads it; the user's terminal is as it was before. A reader who takes nothing for
 * three seconds then, or whom a signal finds waiting, loses the rest of the output. */
int attach_wait(const struct attach *at, struct sl_err *err);

#endif
