/* SPDX-License-Identifier: Apache-2.0
 *
 * The supervisor's own confinement once everything is built: the container's tree as its
 * root (so that /proc/<tracked pid>/root is the container's), the few capabilities that
 * answering needs, and a list of allowed system calls.
 */
#ifndef SANDLOCK_CONFINE_SELF_H
#define SANDLOCK_CONFINE_SELF_H

#include <stdbool.h>

#include "runtime/base/err.h"

struct supervisor_duties {
	bool binds;    /* on behalf of the container */
	bool connects; /* and sends */
};

int confine_supervisor(int root_fd, const struct supervisor_duties *d, struct sl_err *err);

#endif
