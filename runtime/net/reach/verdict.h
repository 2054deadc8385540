/* SPDX-License-Identifier: Apache-2.0
 *
 * May this destination be reached? Pure tables, compiled once: a decision is a binary
 * search over disjoint spans of addresses and one over the ports there, whatever the number
 * of rules. Knows no process, no descriptor and no memory but its own.
 *
 * What must hold:
 * - deny wins over allow, the node's ceiling over both;
 * - a wide rule (any host, a network, the addresses of a name) never covers an address that
 *   is special (net_is_special) or that the kernel says is the node's own (net_dest.own);
 *   only a rule that writes just that address or network does, and only where the node
 *   lets rules do so;
 * - a v4 address written as v6 is the v4 address; 0.0.0.0 and :: are loopback, as they are
 *   for connect(2);
 * - what is denied or special stays so when a v6 address carries it (runtime/base/embedded.h).
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
	bool here;     /* an address of this node or namespace: whose port is it? */
	bool own;      /* the kernel would keep it on this node, or would not send it to one host */
	bool own_inside; /* the same of a v4 address that the v6 address carries */
};

struct net_ports {
	uint16_t first;
	uint16_t last;
	uint32_t rule; /* the caller's number of the rule that decides */
};

/* One rule as the tables take it. n_ports 0: every port. */
struct net_rule {
	enum net_proto proto;
	bool any; /* every address of both families */
	bool v6;
	net_addr addr;
	unsigned int prefix;
	const struct net_ports *ports;
	size_t n_ports;
	uint32_t number;
	bool wide; /* even when it is a single address: it came from a name */
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
	bool local_literals; /* the node lets literal rules open special and own addresses */
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
	NET_ASK_OWNER, /* loopback or an own address that no rule opens: only what the own pod
			* has bound */
};

enum net_reason {
	NET_BY_DEFAULT = 0, /* no rule says anything */
	NET_BY_RULE,
	NET_BY_CEILING,
	NET_BY_LOCAL,     /* special or own address, and no literal rule */
	NET_BY_BIND_LIST, /* not of the tables: the ports that may be bound */
	NET_BY_PASSING,   /* the same: a datagram socket that was to be passed on */
	NET_BY_NO_PROXY,  /* the same: a port of the HTTP proxy, which has ended or has no room */
};

struct net_answer {
	enum net_decision decision;
	enum net_reason reason;
	uint32_t rule; /* NET_BY_RULE */
};

/* Returns 0, or -1 when the rules make tables beyond any sense. */
int net_table_build(struct arena *a, const struct net_rules *rules, struct net_table *ret);

/* The destination as it is judged: v4 instead of v4-mapped, loopback instead of none. */
void net_normalise(struct net_dest *d);
/* Only the first half of it. */
void net_unmap(struct net_dest *d);

/* Loopback, link-local, multicast, broadcast, "this network": never meant by a wide rule. */
bool net_is_special(bool v6, net_addr addr);

/* The v4 addresses that a destination carries, as destinations; returns how many. */
size_t net_inside(const struct net_dest *d, struct net_dest ret[EMBEDDED_MAX]);

/* The destination must be normalised. */
struct net_answer net_judge(const struct net_table *t, const struct net_dest *d);

/* In network order: 4 bytes, or 16. */
net_addr net_addr_from_bytes(const uint8_t *bytes, bool v6);
void net_addr_to_bytes(net_addr addr, bool v6, uint8_t *ret_bytes);

/* Whether what goes to the destination, which is normalised, gets to a socket that is bound to
 * the address; 0: to every one, of the other family too unless it is v6only. */
bool net_gets(bool v6, bool v6only, net_addr bound, const struct net_dest *d);

#endif
