/* SPDX-License-Identifier: Apache-2.0
 *
 * A caller's TCP socket is connected to us, whatever it wanted to be connected to.
 *
 * It is connected to a port of loopback that the kernel chooses for this one connection and that
 * listens no longer than it takes, so that nobody can look for it, wait at it or fill its queue.
 * What is accepted is compared with the caller's socket all the same. The socket that listens is
 * made once: a supervisor is in another network namespace later (runtime/view).
 */
#ifndef SANDLOCK_NET_ACT_DIVERT_H
#define SANDLOCK_NET_ACT_DIVERT_H

#include "runtime/net/act/act.h"

struct divert {
	int fd; /* bound to loopback, and not listening; -1: this stack has no such family */
	struct sockaddr_storage addr;
	socklen_t len;
};

/* On the stack that we are on. Returns 0, also where the stack has no IPv6, or -1 with errno. */
int divert_open(struct divert *d, bool v6);

/* Whether connect(2) can only say how far an earlier one has come, and what it says: 0, or -1 with
 * errno. */
bool divert_has_begun(const struct mat_socket *s);
int divert_again(const struct mat_socket *s);

/* Returns our end, which does not block, or -1 with errno; the caller's socket is unconnected
 * then. */
int divert_connect(const struct divert *d, const struct mat_socket *s);

#endif
