/* SPDX-License-Identifier: Apache-2.0
 *
 * The grammar of network rules. A list consists of items separated by ';'. Spaces around an
 * item are ignored. Nothing is resolved here: a host stays a name.
 *
 *	item   = [scheme "://"] target [":" ports] | [scheme "://"] ":" ports
 *	target = "*" | host | v4 ["/" n] | "[" v6 ["/" n] "]" | v6 ["/" n] (then without ports,
 *		and only where its end cannot be read as a port)
 *	scheme = "tcp" | "udp" | "icmp"; none means a rule for tcp and one for udp
 *	ports  = "*" | N {"," N}, 1 to 65535
 *
 * Malformed are: an address with bits after its prefix, a wildcard within a name, a number that is
 * not an address, ports with icmp, and an empty item. Rendering always writes the scheme, leaves
 * ":*" out and writes each rule once; parsing the result gives the same rules.
 */
#ifndef SANDLOCK_ANNOTATIONS_RULE_NET_H
#define SANDLOCK_ANNOTATIONS_RULE_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotations/rule_ports.h"
#include "runtime/base/arena.h"

enum rule_net_proto { RULE_NET_TCP, RULE_NET_UDP, RULE_NET_ICMP, RULE_NET_PROTOS };

enum rule_net_target {
	RULE_NET_ANY,
	RULE_NET_HOST,
	RULE_NET_V4,
	RULE_NET_V6,
};

struct rule_net {
	enum rule_net_proto proto;
	enum rule_net_target target;
	const char *host;               /* RULE_NET_HOST: lower case, without a dot at its end */
	uint8_t addr[16];               /* RULE_NET_V4: the first four, RULE_NET_V6: all */
	uint8_t prefix;                 /* length of the prefix in bits */
	const struct rule_ports *ports; /* sorted, disjoint; none: every port */
	size_t n_ports;
};

struct rule_net_list {
	const struct rule_net *items;
	size_t n; /* 0: not set, because an empty list cannot be written */
};

/* Parses one item, which gives one rule or two. Returns their number, or -1 when the item is
 * malformed. */
int rule_net_parse_item(struct arena *a, const char *item, size_t len, struct rule_net ret[2]);
const char *rule_net_render_rule(struct arena *a, const struct rule_net *r);

/* Explains what is wrong with a malformed item or list if it is an IPv6 address with a port but
 * without brackets, and how to write it. NULL: there is no explanation. */
const char *rule_net_explain(struct arena *a, const char *value);

int rule_net_parse_allow(struct arena *a, const char *value, struct rule_net_list *ret);
int rule_net_parse_deny(struct arena *a, const char *value, struct rule_net_list *ret);
const char *rule_net_render(struct arena *a, const struct rule_net_list *l);

#endif
