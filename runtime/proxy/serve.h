/* SPDX-License-Identifier: Apache-2.0
 *
 * Serves the connections of a container: finds out which protocol a connection uses and calls its
 * functions.
 */
#ifndef SANDLOCK_PROXY_SERVE_H
#define SANDLOCK_PROXY_SERVE_H

#include "runtime/proxy/proxy.h"

/* Takes the socket. */
void serve_open(struct proxy *p, uint32_t id, const struct proxy_dest *dest, int *fd);
/* The supervisor has begun to connect the socket (error 0 or EINPROGRESS), or has failed with that
 * error. */
void serve_connected(struct conn *c, int error);

#endif
