/* SPDX-License-Identifier: Apache-2.0
 *
 * Restricts the HTTP proxy: it has no capabilities, reads files only below the given directories,
 * cannot connect or bind TCP sockets (landlock(7)), executes no program, and can make only the few
 * system calls that it needs to transfer data. Only the supervisor can connect the sockets that the
 * proxy creates.
 */
#ifndef SANDLOCK_CONFINE_PROXY_H
#define SANDLOCK_CONFINE_PROXY_H

#include <stddef.h>

#include "runtime/base/err.h"

/* read_fds: the directories below which the proxy may read files. */
int confine_proxy(const int *read_fds, size_t n_read_fds, struct sl_err *err);

#endif
