/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists the sockets of the network stack that hold a port, as the kernel reports them
 * (sock_diag(7)). Nothing is remembered from bind(2), so nothing can become stale.
 */
#ifndef SANDLOCK_NET_REACH_HOLDERS_H
#define SANDLOCK_NET_REACH_HOLDERS_H

#include "annotations/rule_ports.h"
#include "runtime/net/reach/verdict.h"

struct holder {
	bool v6;
	bool v6only;
	net_addr addr; /* a v4 address written as v6 is the v4 address; 0: every address */
	uint16_t port;
	uint64_t inode;
};

enum holders_of {
	HOLDERS_RECEIVERS, /* sockets that would receive a connection or a datagram */
	/* the same and sockets that are bound but do not listen yet (Linux 6.8) */
	HOLDERS_BOUND,
	HOLDERS_ALL, /* the same and accepted connections */
};

/* Opens a NETLINK_SOCK_DIAG socket of the current network stack. Returns -1 with errno on
 * failure. */
int holders_open(void);

/* Calls each() for every holder of the ports from first to last. One request covers all ports: the
 * kernel walks through its whole tables anyway. Returns 0, or -1 when the list is not complete. */
int holders_each(int diag_fd, enum net_proto proto, struct rule_ports ports, enum holders_of which,
	void (*each)(const struct holder *h, void *ctx), void *ctx);

/* The same for datagram sockets that are connected to the port. holder.addr and holder.port are
 * those of the peer. */
int holders_each_connected(
	int diag_fd, uint16_t port, void (*each)(const struct holder *h, void *ctx), void *ctx);

#endif
