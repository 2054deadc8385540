/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a destination may be reached: the rules as tables, the kernel's routing, and the owner of
 * a port. This part reads the kernel's tables, and nothing of the caller.
 */
#ifndef SANDLOCK_NET_REACH_REACH_H
#define SANDLOCK_NET_REACH_REACH_H

#include "runtime/net/net.h"
#include "runtime/net/reach/holders.h"
#include "runtime/net/reach/verdict.h"

/* The number of addresses that are remembered as another host's. Must be a power of two. */
#define ROUTE_AWAY_MAX 256
struct route_away {
	bool known;
	bool v6;
	net_addr addr;
};

struct reach {
	struct net_table table;
	const char *const *rules; /* the text of each rule, by its number */
	const struct net_host *host;
	void *ctx;    /* the argument of the host's functions */
	int diag_fd;  /* NETLINK_SOCK_DIAG */
	int route_fd; /* NETLINK_ROUTE; only if the supervisor handles connect or send */
	int news_fd;  /* net_watch_routes(); only together with route_fd */
	/* a NETLINK_ROUTE socket of the node, if the container has another stack; otherwise -1 */
	int node_route_fd;
	int node_news_fd; /* net_watch_routes() of the node, or -1 */
	struct route_away away[ROUTE_AWAY_MAX];
};

/* compile.c: builds the tables from the plan's rules. */
int net_compile(struct arena *a, const struct plan_net *plan, struct reach *r, struct sl_err *err);

/* route.c: where the kernel would send a packet for this destination. */
enum route {
	ROUTE_AWAY,
	ROUTE_HERE,  /* an address of this node, or of the namespace that was joined */
	ROUTE_OTHER, /* the packet goes to more than one host, or the route is unknown */
};
enum route route_of(int route_fd, const struct net_dest *d);
/* route_is_away(): whether route_note_away() has remembered that the address is neither the node's
 * nor the namespace's. After any change of the routing everything is forgotten. It must be called
 * before the routing is asked for an address that is then remembered. */
bool route_is_away(struct reach *r, const struct net_dest *d);
void route_note_away(struct reach *r, const struct net_dest *d);

/* owner.c */
enum owner { OWNER_NOBODY, OWNER_POD, OWNER_OTHER };
enum owner owner_of_port(const struct reach *r, const struct net_dest *d);

/* The address that a bind(2) asks for. */
struct net_bind {
	enum net_proto proto;
	bool v6;
	bool v6only;
	net_addr addr; /* 0: every address */
	uint16_t port; /* 0: any free one */
	bool shares;   /* the kernel would let the socket share the port with others of its kind */
};
/* owner_in_the_way(): who owns the sockets that conflict with the bind. owner_worth_asking(): which
 * sockets can conflict. */
enum owner owner_in_the_way(
	const struct reach *r, const struct net_bind *b, uint16_t port, enum holders_of which);
/* The same without a search through the pod's descriptors. When the search would be needed,
 * *ret_known becomes false and the answer is OWNER_OTHER. */
enum owner owner_known_in_the_way(const struct reach *r, const struct net_bind *b, uint16_t port,
	enum holders_of which, bool *ret_known);
enum holders_of owner_worth_asking(const struct net_bind *b);

#endif
