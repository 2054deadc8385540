/* SPDX-License-Identifier: Apache-2.0
 *
 * Connects a caller's TCP socket to the supervisor, whatever its destination was.
 *
 * The socket is connected to a port of loopback that the kernel chooses for this one connection.
 * The supervisor listens there only for the duration of the call, so no other process can find the
 * port, wait for it or fill its queue. The accepted connection is compared with the caller's socket
 * all the same. The listening socket is created once, at the start, because the supervisor may
 * enter another network namespace later (runtime/view).
 */
#ifndef SANDLOCK_NET_ACT_DIVERT_H
#define SANDLOCK_NET_ACT_DIVERT_H

#include "runtime/net/act/act.h"

struct divert {
	/* bound to loopback, not listening; -1: this stack does not have the address family */
	int fd;
	struct sockaddr_storage addr;
	socklen_t len;
};

/* Opens the socket on the current network stack. Returns 0, also where the stack has no IPv6, or -1
 * with errno. */
int divert_open(struct divert *d, bool v6);

/* divert_has_begun(): whether the socket has begun a connection before, so that connect(2) can only
 * report its state. divert_again() makes that call: 0, or -1 with errno. */
bool divert_has_begun(const struct mat_socket *s);
int divert_again(const struct mat_socket *s);

/* Returns the supervisor's end of the connection, which is non-blocking, or -1 with errno; in that
 * case the caller's socket is not connected. */
int divert_connect(const struct divert *d, const struct mat_socket *s);

#endif
