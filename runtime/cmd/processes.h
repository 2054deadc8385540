/* SPDX-License-Identifier: Apache-2.0
 *
 * The processes of a container, and what they use, as `ps` and `events` show them.
 */
#ifndef SANDLOCK_CMD_PROCESSES_H
#define SANDLOCK_CMD_PROCESSES_H

#include <stdio.h>

#include "runtime/cmd/cmd.h"

struct processes {
	pid_t *pids;
	size_t n;
};

int processes_list(
	struct arena *a, const struct container *c, struct processes *ret, struct sl_err *err);

struct usage {
	uint64_t user_ns;
	uint64_t system_ns;
	uint64_t memory_bytes; /* proportional set size */
};

struct usage processes_usage(const struct container *c, const struct processes *p);

/* Starts ps(1); the stream is its output. NULL on failure. */
FILE *processes_run_ps(char **argv, struct sl_err *err);

#endif
