/* SPDX-License-Identifier: Apache-2.0
 *
 * The connections of a container from their first byte on: which protocol they speak, and whose
 * turn it is.
 */
#ifndef SANDLOCK_PROXY_SERVE_H
#define SANDLOCK_PROXY_SERVE_H

#include "runtime/proxy/proxy.h"

/* Takes the socket. */
void serve_open(struct proxy *p, uint32_t id, const struct proxy_dest *dest, int *fd);
/* The supervisor has connected the socket, or error says why not. */
void serve_connected(struct conn *c, int error);

#endif
