/* SPDX-License-Identifier: Apache-2.0
 *
 * What may be reached: the rules as tables, where the kernel would send it, and whose sockets hold
 * a port. Looks at the kernel's tables, and at nothing of the caller's.
 */
#ifndef SANDLOCK_NET_REACH_REACH_H
#define SANDLOCK_NET_REACH_REACH_H

#include "runtime/net/net.h"
#include "runtime/net/reach/holders.h"
#include "runtime/net/reach/verdict.h"

/* Addresses that are known to be another host's. A power of two. */
#define ROUTE_AWAY_MAX 256
struct route_away {
	bool known;
	bool v6;
	net_addr addr;
};

struct reach {
	struct net_table table;
	const char *const *rules; /* texts, by number */
	const struct net_host *host;
	void *ctx;         /* of the host's functions */
	int diag_fd;       /* NETLINK_SOCK_DIAG */
	int route_fd;      /* NETLINK_ROUTE; only where the supervisor connects */
	int news_fd;       /* of its routing, with it */
	int node_route_fd; /* of the node, where the stack is another; else -1 */
	int node_news_fd;  /* the same */
	struct route_away away[ROUTE_AWAY_MAX];
};

/* compile.c: the plan's rules as tables. */
int net_compile(struct arena *a, const struct plan_net *plan, struct reach *r, struct sl_err *err);

/* route.c: where the kernel would send it. */
enum route {
	ROUTE_AWAY,
	ROUTE_HERE,  /* an address of this node, or of the namespace that was joined */
	ROUTE_OTHER, /* to more than one host; also when it cannot be found out */
};
enum route route_of(int route_fd, const struct net_dest *d);
/* Whether it was noted that the address is neither of this node nor of the namespace, and nothing
 * has changed since; ask before the routing is asked what is noted. */
bool route_is_away(struct reach *r, const struct net_dest *d);
void route_note_away(struct reach *r, const struct net_dest *d);

/* owner.c */
enum owner { OWNER_NOBODY, OWNER_POD, OWNER_OTHER };
enum owner owner_of_port(const struct reach *r, const struct net_dest *d);

/* What a bind(2) asks for. */
struct net_bind {
	enum net_proto proto;
	bool v6;
	bool v6only;
	net_addr addr; /* 0: every address */
	uint16_t port; /* 0: any free one */
	bool shares;   /* the kernel would let it share the port with others of its kind */
};
/* Whose sockets the port would have to be shared with; which of them can matter. */
enum owner owner_in_the_way(
	const struct reach *r, const struct net_bind *b, uint16_t port, enum holders_of which);
/* The same without looking through the pod's descriptors: *ret_known becomes false when that would
 * be needed, and the answer is OWNER_OTHER then. */
enum owner owner_known_in_the_way(const struct reach *r, const struct net_bind *b, uint16_t port,
	enum holders_of which, bool *ret_known);
enum holders_of owner_worth_asking(const struct net_bind *b);

#endif
