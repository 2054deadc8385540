/* SPDX-License-Identifier: Apache-2.0
 *
 * The supervisor's own confinement once everything is built: the container's tree as its
 * root (so that /proc/<tracked pid>/root is the container's), the few capabilities that
 * answering needs, and a list of allowed system calls. Where it shows interfaces it can make
 * one network namespace and holds CAP_SYS_ADMIN and CAP_NET_ADMIN until it has.
 */
#ifndef SANDLOCK_CONFINE_SELF_H
#define SANDLOCK_CONFINE_SELF_H

#include <stdbool.h>

#include "runtime/base/err.h"

struct supervisor_duties {
	bool binds;    /* on behalf of the container */
	bool looks_up; /* paths of callers, in directories that only they may search */
	bool connects; /* and sends */
	bool ipc;      /* makes System V objects and POSIX queues for the container */
	bool listens;  /* where the ports that may be bound are limited */
	bool shows;    /* makes a network namespace of its own and sockets in it */
};

int confine_supervisor(int root_fd, const struct supervisor_duties *d, struct sl_err *err);

/* Gives back for good what making that namespace takes. Returns 0, or -1 with errno. */
int confine_supervisor_shows(void);

#endif
