/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/net: one bind(2) in progress, shared by bind.c, bind_at.c and bind_space.c.
 */
#ifndef SANDLOCK_NET_BIND_H
#define SANDLOCK_NET_BIND_H

#include "runtime/net/internal.h"

struct binding {
	struct net *n;
	const struct mat_socket *s;
	struct mat_addr addr;
	struct net_bind wanted;
	enum holders_of which; /* the sockets that may conflict */
	bool lend;             /* use the caller's CAP_NET_BIND_SERVICE */
	/* waits until sockets of others are no longer connected to the port */
	bool waits;
	bool unknown; /* there is a holder that the search has not seen */
};

/* Tells who holds the port, from what is known. To be called during the turn. A holder that is not
 * known counts as another pod's and sets b->unknown. */
enum owner bind_owner(struct binding *b, uint16_t port, enum holders_of which);

/* bind(2) with this port. Returns 0, or -1 with errno. */
int bind_at(struct binding *b, uint16_t port);

/* Which ports of a range may be taken; NULL: all. */
typedef bool (*bind_filter)(const struct net *n, uint16_t port);

/* Binds a free port of the range; the search begins at `from`. Returns 0, or -1 with errno. */
int bind_in_range(
	struct binding *b, const struct rule_ports *range, unsigned int from, bind_filter may);

/* Where ports are replaced: binds the port, or another one in its place. */
int bind_replacing(struct binding *b);

#endif
