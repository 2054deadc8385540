/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/net/reach/holders.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#define STATE(tcp_state)     (1U << (tcp_state))
#define STATE_ESTABLISHED    1 /* include/net/tcp_states.h */
#define STATE_CLOSE          7 /* a UDP socket that is not connected */
#define STATE_LISTEN         10
#define STATE_BOUND_INACTIVE 13

#ifndef INET_DIAG_SKV6ONLY
#define INET_DIAG_SKV6ONLY 11
#endif

/* port >= first, port <= last */
struct by_port {
	struct rtattr attr;
	struct inet_diag_bc_op code[4];
};

struct diag_request {
	struct nlmsghdr head;
	struct inet_diag_req_v2 diag;
	struct by_port by_port;
};

/* The older request, which exists for TCP only. One answer covers both families, so the kernel
 * walks through its tables once. */
struct request_tcp {
	struct nlmsghdr head;
	struct inet_diag_req diag;
	struct by_port by_port;
};

struct look {
	struct rule_ports ports;
	bool far; /* the search is about the peer's port and address */
	bool done;
	void (*each)(const struct holder *h, void *ctx);
	void *ctx;
};

int holders_open(void)
{
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
}

static uint32_t states_of(enum net_proto proto, enum holders_of which)
{
	if (proto != NET_TCP)
		return STATE(STATE_CLOSE) | STATE(STATE_ESTABLISHED);
	switch (which) {
	case HOLDERS_RECEIVERS: return STATE(STATE_LISTEN);
	case HOLDERS_BOUND: return STATE(STATE_LISTEN) | STATE(STATE_BOUND_INACTIVE);
	case HOLDERS_ALL: break;
	}
	return UINT32_MAX;
}

/* far: of the peer. */
static struct by_port by_port(const struct rule_ports *ports, bool far)
{
	const unsigned char from = far ? INET_DIAG_BC_D_GE : INET_DIAG_BC_S_GE;
	const unsigned char to = far ? INET_DIAG_BC_D_LE : INET_DIAG_BC_S_LE;

	return (struct by_port){
		.attr = { sizeof(struct by_port), INET_DIAG_REQ_BYTECODE },
		.code = { { from, 8, 20 }, { .no = ports->first }, { to, 8, 12 },
			{ .no = ports->last } },
	};
}

static struct nlmsghdr head(size_t size, uint16_t type)
{
	return (struct nlmsghdr){
		.nlmsg_len = (uint32_t)size,
		.nlmsg_type = type,
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
	};
}

static int ask_tcp(int fd, const struct rule_ports *ports, uint32_t states)
{
	const struct request_tcp q = {
		.head = head(sizeof(q), TCPDIAG_GETSOCK),
		.diag = { .idiag_states = states },
		.by_port = by_port(ports, false),
	};

	return send(fd, &q, sizeof(q), 0) == (ssize_t)sizeof(q) ? 0 : -1;
}

static int ask_udp(int fd, int family, const struct look *l, uint32_t states)
{
	const struct diag_request q = {
		.head = head(sizeof(q), SOCK_DIAG_BY_FAMILY),
		.diag = { .sdiag_family = (uint8_t)family,
			.sdiag_protocol = IPPROTO_UDP,
			.idiag_states = states },
		.by_port = by_port(&l->ports, l->far),
	};

	return send(fd, &q, sizeof(q), 0) == (ssize_t)sizeof(q) ? 0 : -1;
}

static bool is_v6only(const struct nlmsghdr *h)
{
	const struct inet_diag_msg *m = NLMSG_DATA(h);
	const struct rtattr *a = (const struct rtattr *)(m + 1);
	int left = (int)(h->nlmsg_len - NLMSG_LENGTH(sizeof(*m)));

	for (; RTA_OK(a, left); a = RTA_NEXT(a, left))
		if (a->rta_type == INET_DIAG_SKV6ONLY && RTA_PAYLOAD(a) >= 1)
			return *(const uint8_t *)RTA_DATA(a) != 0;
	return false;
}

static int one_message(const struct nlmsghdr *h, struct look *l)
{
	const struct inet_diag_msg *m = NLMSG_DATA(h);
	struct net_dest bound;
	uint16_t port;

	if (h->nlmsg_type == NLMSG_DONE) {
		l->done = true;
		return 0;
	}
	if ((h->nlmsg_type != SOCK_DIAG_BY_FAMILY && h->nlmsg_type != TCPDIAG_GETSOCK) ||
		h->nlmsg_len < NLMSG_LENGTH(sizeof(*m)))
		return -1;
	port = ntohs(l->far ? m->id.idiag_dport : m->id.idiag_sport);
	if (port < l->ports.first || port > l->ports.last)
		return 0;
	bound = (struct net_dest){ .v6 = m->idiag_family == AF_INET6 };
	bound.addr = net_addr_from_bytes(
		(const uint8_t *)(l->far ? m->id.idiag_dst : m->id.idiag_src), bound.v6);
	net_unmap(&bound);
	l->each(&(struct holder){ .v6 = bound.v6,
			.v6only = bound.v6 && is_v6only(h),
			.addr = bound.addr,
			.port = port,
			.inode = m->idiag_inode },
		l->ctx);
	return 0;
}

/* Discards the rest of an answer that was given up, so that it is not taken for the next answer. */
static int drain_answer(int fd)
{
	char rest[4096];

	while (recv(fd, rest, sizeof(rest), MSG_DONTWAIT) > 0)
		;
	return -1;
}

static int hear(int diag_fd, struct look *l)
{
	_Alignas(struct nlmsghdr) char buf[16384];

	l->done = false;
	while (!l->done) {
		ssize_t got = recv(diag_fd, buf, sizeof(buf), 0);
		size_t left = got > 0 ? (size_t)got : 0;

		if (got <= 0)
			return drain_answer(diag_fd);
		for (const struct nlmsghdr *h = (const struct nlmsghdr *)buf; NLMSG_OK(h, left);
			h = NLMSG_NEXT(h, left))
			if (one_message(h, l) < 0)
				return drain_answer(diag_fd);
	}
	return 0;
}

static int look_udp(int diag_fd, uint32_t states, struct look *l)
{
	if (ask_udp(diag_fd, AF_INET6, l, states) < 0 || hear(diag_fd, l) < 0)
		return -1;
	return ask_udp(diag_fd, AF_INET, l, states) < 0 ? -1 : hear(diag_fd, l);
}

int holders_each(int diag_fd, enum net_proto proto, struct rule_ports ports, enum holders_of which,
	void (*each)(const struct holder *h, void *ctx), void *ctx)
{
	struct look l = { .ports = ports, .each = each, .ctx = ctx };
	uint32_t states = states_of(proto, which);

	if (proto == NET_TCP)
		return ask_tcp(diag_fd, &ports, states) < 0 ? -1 : hear(diag_fd, &l);
	return look_udp(diag_fd, states, &l);
}

int holders_each_connected(
	int diag_fd, uint16_t port, void (*each)(const struct holder *h, void *ctx), void *ctx)
{
	struct look l = { .ports = { port, port }, .far = true, .each = each, .ctx = ctx };

	return look_udp(diag_fd, STATE(STATE_ESTABLISHED), &l);
}
