/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/net: one bind(2) on its way, for bind.c and bind_space.c.
 */
#ifndef SANDLOCK_NET_BIND_H
#define SANDLOCK_NET_BIND_H

#include "runtime/net/internal.h"

struct binding {
	struct net *n;
	const struct mat_socket *s;
	struct mat_addr addr;
	struct net_bind wanted;
	enum holders_of which; /* may be in the way */
	bool lend;             /* the caller's CAP_NET_BIND_SERVICE */
	bool waits;            /* for others' sockets that are connected to the port */
	bool unknown;          /* a holder came up that nobody has looked for yet */
};

/* While it is our turn: who is in the way of the port, as far as it is known. What is not known
 * counts as somebody else's, and is noted in the binding. */
enum owner bind_owner(struct binding *b, uint16_t port, enum holders_of which);

/* bind(2) with another port; 0, or -1 with errno. */
int bind_at(struct binding *b, uint16_t port);

/* Which ports of a range may be taken; NULL: all. */
typedef bool (*bind_filter)(const struct net *n, uint16_t port);

/* A free port of the range, looked for from the one at `from` on. 0, or -1 with errno. */
int bind_in_range(
	struct binding *b, const struct rule_ports *range, unsigned int from, bind_filter may);

/* Where ports are replaced: the port, or another one in its place. */
int bind_replacing(struct binding *b);

#endif
