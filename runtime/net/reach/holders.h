/* SPDX-License-Identifier: Apache-2.0
 *
 * Which sockets of the stack hold a port, as the kernel lists them (sock_diag(7)). Nothing has
 * to be remembered from bind(2), so nothing can get stale.
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
	HOLDERS_RECEIVERS, /* what would get a connection or a datagram */
	HOLDERS_BOUND,     /* and what has bound the port without listening yet (Linux 6.8) */
	HOLDERS_ALL,       /* and connections that were accepted there */
};

/* A NETLINK_SOCK_DIAG socket of the stack that is to be asked; -1 with errno. */
int holders_open(void);

/* Calls each() for every holder of the ports from first to last, in one go: the kernel walks
 * through its whole tables, however many ports are asked for. Returns 0, or -1 when the kernel did
 * not say everything. */
int holders_each(int diag_fd, enum net_proto proto, struct rule_ports ports, enum holders_of which,
	void (*each)(const struct holder *h, void *ctx), void *ctx);

/* The same for datagram sockets that are connected to the port; the address is the one that they
 * are connected to. */
int holders_each_connected(
	int diag_fd, uint16_t port, void (*each)(const struct holder *h, void *ctx), void *ctx);

#endif
