/* SPDX-License-Identifier: Apache-2.0
 *
 * The confinement of the HTTP proxy: no capability, no file but below the directories given, no
 * TCP connect or bind (landlock(7)), no program, and the few system calls that moving bytes takes.
 * A socket that it makes can only be connected by who gets it handed over.
 */
#ifndef SANDLOCK_CONFINE_PROXY_H
#define SANDLOCK_CONFINE_PROXY_H

#include <stddef.h>

#include "runtime/base/err.h"

/* read_fds: directories below which files may be read. */
int confine_proxy(const int *read_fds, size_t n_read_fds, struct sl_err *err);

#endif
