/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that takes what a process writes (containerd's "binary logging"): it has the reading
 * ends of both pipes as 3 and 4, and 5 to say that it is ready, by closing it, or with binary-v2 by
 * a byte. Its arguments are the names and values of the address' query, its environment is
 * CONTAINER_ID and CONTAINER_NAMESPACE.
 */
#ifndef SANDLOCK_SHIM_STDIO_LOGGER_H
#define SANDLOCK_SHIM_STDIO_LOGGER_H

#include <stdbool.h>

#include "runtime/base/err.h"

/* More than any logger has; a bound on what an address can make us hold. */
#define LOGGER_ARGS_MAX 128

/* How long it may take to be ready. */
#define LOGGER_READY_MS 30000

struct logger_want {
	const char *uri;
	const char *id;
	const char *namespace;
	int out_fd, err_fd; /* the reading ends; they stay the caller's */
};

struct logger {
	int pid_fd;
	int ready_fd;
	bool by_byte; /* binary-v2 */
};

bool logger_is(const char *uri);

/* Starts it; it is a child of this process. */
int logger_start(const struct logger_want *want, struct logger *ret, struct sl_err *err);

/* Waits until it is ready; in a process that may wait. */
int logger_await(const struct logger *l, struct sl_err *err);

#endif
