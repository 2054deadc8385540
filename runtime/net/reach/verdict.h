/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides whether a destination may be reached, from tables that are built once. A decision is a
 * binary search over disjoint spans of addresses and another one over the ports there, however many
 * rules there are. This part uses no process, no descriptor and no memory but its own.
 *
 * The tables guarantee:
 *
 * - A deny rule wins over an allow rule, and the node's ceiling wins over both.
 *
 * - A wide rule (any host, a network, the addresses of a name) never covers an address that is
 *   special (net_is_special) or that the kernel treats as the node's own (net_dest.own). Only a
 *   rule with exactly this address or network covers it, and only if the node permits such rules.
 *
 * - A v4 address written as v6 counts as the v4 address; 0.0.0.0 and :: count as loopback, as they
 *   do for connect(2).
 *
 * - An address that is denied or special stays so when a v6 address carries it
 *   (runtime/base/embedded.h).
 */
#ifndef SANDLOCK_NET_REACH_VERDICT_H
#define SANDLOCK_NET_REACH_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/arena.h"
#include "runtime/base/embedded.h"

enum net_proto { NET_TCP, NET_UDP, NET_ICMP, NET_PROTOS };

__extension__ typedef unsigned __int128 net_addr; /* host order; v4 in the low 32 bits */

struct net_dest {
	enum net_proto proto;
	bool v6;
	net_addr addr;
	uint16_t port; /* host order; 0 for ICMP */
	bool here;     /* an address of this node or namespace: the owner of the port decides */
	/* the kernel would keep the packet on this node, or would not send it to one host */
	bool own;
	bool own_inside; /* the same for a v4 address that the v6 address carries */
};

struct net_ports {
	uint16_t first;
	uint16_t last;
	uint32_t rule; /* the number of the rule that decides */
};

/* One rule in the form that the tables take. n_ports 0: every port. */
struct net_rule {
	enum net_proto proto;
	bool any; /* every address of both families */
	bool v6;
	net_addr addr;
	unsigned int prefix;
	const struct net_ports *ports;
	size_t n_ports;
	uint32_t number;
	bool wide; /* not a literal address, even if it is a single one: it came from a name */
};

struct net_span {
	net_addr first;
	net_addr last;
	const struct net_ports *ports;
	size_t n_ports;
};

struct net_set {
	struct {
		struct net_span *spans; /* sorted, disjoint */
		size_t n;
	} family[2];
	const struct net_ports *any;
	size_t n_any;
};

struct net_table {
	struct net_set deny[NET_PROTOS];
	struct net_set wide[NET_PROTOS];
	struct net_set literal[NET_PROTOS];
	struct net_set ceiling[NET_PROTOS];
	bool has_ceiling;
	/* the node permits that literal rules open special and own addresses */
	bool local_literals;
};

struct net_rules {
	const struct net_rule *allow;
	size_t n_allow;
	const struct net_rule *deny;
	size_t n_deny;
	const struct net_rule *ceiling; /* n_ceiling 0: none */
	size_t n_ceiling;
	bool local_literals;
};

enum net_decision {
	NET_DENIED = 0,
	NET_ALLOWED,
	/* loopback or an own address that no rule opens: allowed if the pod has bound the port */
	NET_ASK_OWNER,
};

enum net_reason {
	NET_BY_DEFAULT = 0, /* no rule matches */
	NET_BY_RULE,
	NET_BY_CEILING,
	NET_BY_LOCAL,     /* special or own address, and no literal rule */
	NET_BY_BIND_LIST, /* not from the tables: the list of ports that may be bound */
	/* not from the tables: a datagram socket was to be passed to another process */
	NET_BY_PASSING,
	NET_BY_NO_PROXY, /* not from the tables: the HTTP proxy has ended or is full */
};

struct net_answer {
	enum net_decision decision;
	enum net_reason reason;
	uint32_t rule; /* NET_BY_RULE */
};

/* Returns 0, or -1 when the rules would need too much memory. */
int net_table_build(struct arena *a, const struct net_rules *rules, struct net_table *ret);

/* Brings the destination into the form that is judged: v4 instead of v4-mapped, loopback instead of
 * the empty address. */
void net_normalise(struct net_dest *d);
/* Replaces a v4-mapped address only. */
void net_unmap(struct net_dest *d);

/* Loopback, link-local, multicast, broadcast, "this network": a wide rule never covers them. */
bool net_is_special(bool v6, net_addr addr);

/* Finds the v4 addresses that a v6 address carries. Returns their number. */
size_t net_inside(const struct net_dest *d, struct net_dest ret[EMBEDDED_MAX]);

/* The destination must be normalised. */
struct net_answer net_judge(const struct net_table *t, const struct net_dest *d);

/* bytes: in network order, 4 for v4 or 16 for v6. */
net_addr net_addr_from_bytes(const uint8_t *bytes, bool v6);
void net_addr_to_bytes(net_addr addr, bool v6, uint8_t *ret_bytes);

/* Whether a socket that is bound to the address `bound` receives what is sent to the destination,
 * which must be normalised. 0: the socket receives for every address, also of the other family
 * unless it is v6only. */
bool net_gets(bool v6, bool v6only, net_addr bound, const struct net_dest *d);

#endif
