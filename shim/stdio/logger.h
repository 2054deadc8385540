/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that reads what a process writes (containerd's "binary logging"). Its descriptors 3 and
 * 4 are the reading ends of both pipes. It says that it is ready by closing descriptor 5, or with
 * binary-v2 by writing a byte to it. Its arguments are the names and values of the URI's query; its
 * environment is CONTAINER_ID and CONTAINER_NAMESPACE.
 */
#ifndef SANDLOCK_SHIM_STDIO_LOGGER_H
#define SANDLOCK_SHIM_STDIO_LOGGER_H

#include <stdbool.h>

#include "runtime/base/err.h"

/* Bounds what a URI can make the shim keep. */
#define LOGGER_ARGS_MAX 128

/* How long a logger may take until it is ready. */
#define LOGGER_READY_MS 30000

struct logger_want {
	const char *uri;
	const char *id;
	const char *namespace;
	int out_fd, err_fd; /* the reading ends; the caller closes them */
};

struct logger {
	int pid_fd;
	int ready_fd;
	bool by_byte; /* binary-v2 */
};

bool logger_is(const char *uri);

/* Starts the program as a child of this process. */
int logger_start(const struct logger_want *want, struct logger *ret, struct sl_err *err);

/* Waits until the logger is ready. Only for a process that may wait. */
int logger_await(const struct logger *l, struct sl_err *err);

#endif
