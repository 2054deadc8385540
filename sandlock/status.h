/* SPDX-License-Identifier: Apache-2.0
 *
 * --status-fd: how the command ended, as one line of JSON:
 *
 *	{"exit_code": 143, "signal": 15}
 *
 * exit_code is this program's own exit status, and signal the one that has ended the command; null:
 * none has.
 */
#ifndef SANDLOCK_SANDLOCK_STATUS_H
#define SANDLOCK_SANDLOCK_STATUS_H

#include "runtime/base/err.h"

struct status_pipe {
	int fd; /* -1: nobody asks */
};

/* number: of a descriptor that is open for writing; NULL: nobody asks. The command does not get
 * it. */
int status_open(struct status_pipe *s, const char *number, struct sl_err *err);

/* status: of wait(2). Returns the exit status. */
int status_tell(const struct status_pipe *s, int status);

/* The command was not run. Returns the exit status. */
int status_tell_failure(const struct status_pipe *s, int exit_code);

#endif
