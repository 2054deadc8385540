/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose is a port on loopback? Every socket that could get what is sent there is looked up
 * (sock_diag(7)); all of them must be held by processes of the own pod. Nothing has to be
 * remembered from bind(2), so nothing has to be trapped there and nothing can get stale.
 */
#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>

#include "runtime/net/internal.h"

#define STATE(tcp_state)  (1U << (tcp_state))
#define STATE_ESTABLISHED 1 /* include/net/tcp_states.h */
#define STATE_CLOSE       7 /* an UDP socket that is not connected */
#define STATE_LISTEN      10

struct request {
	struct nlmsghdr head;
	struct inet_diag_req_v2 diag;
	struct rtattr {
		unsigned short len;
		unsigned short type;
	} attr;
	struct inet_diag_bc_op code[4]; /* port >= it, port <= it */
};

static int ask(int fd, int family, const struct net_dest *d)
{
	struct request q = { 0 };

	q.head.nlmsg_len = sizeof(q);
	q.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
	q.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	q.diag.sdiag_family = (uint8_t)family;
	q.diag.sdiag_protocol = d->proto == NET_TCP ? IPPROTO_TCP : IPPROTO_UDP;
	q.diag.idiag_states = d->proto == NET_TCP ? STATE(STATE_LISTEN)
						  : STATE(STATE_CLOSE) | STATE(STATE_ESTABLISHED);
	q.attr.len = sizeof(q.attr) + sizeof(q.code);
	q.attr.type = INET_DIAG_REQ_BYTECODE;
	q.code[0] = (struct inet_diag_bc_op){ INET_DIAG_BC_S_GE, 8, 20 };
	q.code[1].no = d->port;
	q.code[2] = (struct inet_diag_bc_op){ INET_DIAG_BC_S_LE, 8, 12 };
	q.code[3].no = d->port;
	return send(fd, &q, sizeof(q), 0) == (ssize_t)sizeof(q) ? 0 : -1;
}

/* A socket for every address, or for this one, would get it. */
static bool would_get(const struct inet_diag_msg *m, const struct net_dest *d)
{
	struct net_dest bound = { .v6 = m->idiag_family == AF_INET6 };

	bound.addr = net_addr_from_bytes((const uint8_t *)m->id.idiag_src, bound.v6);
	if (bound.addr == 0)
		return true;
	net_normalise(&bound);
	return bound.v6 == d->v6 && bound.addr == d->addr;
}

struct found {
	bool any;
	bool foreign;
	bool done;
};

static int one_message(
	const struct net *n, const struct nlmsghdr *h, const struct net_dest *d, struct found *f)
{
	const struct inet_diag_msg *m = NLMSG_DATA(h);

	if (h->nlmsg_type == NLMSG_DONE) {
		f->done = true;
		return 0;
	}
	if (h->nlmsg_type != SOCK_DIAG_BY_FAMILY || h->nlmsg_len < NLMSG_LENGTH(sizeof(*m)))
		return -1;
	if (ntohs(m->id.idiag_sport) != d->port || !would_get(m, d))
		return 0;
	f->any = true;
	f->foreign |= !n->setup.owns(n->setup.ctx, m->idiag_inode);
	return 0;
}

/* What an answer that was given up has left must not be taken for the next one. */
static int give_up(int fd)
{
	char rest[4096];

	while (recv(fd, rest, sizeof(rest), MSG_DONTWAIT) > 0)
		;
	return -1;
}

/* Returns 0, or -1 when the kernel did not say everything. */
static int look(const struct net *n, int family, const struct net_dest *d, struct found *f)
{
	_Alignas(struct nlmsghdr) char buf[16384];

	f->done = false;
	if (ask(n->diag_fd, family, d) < 0)
		return -1;
	while (!f->done) {
		ssize_t got = recv(n->diag_fd, buf, sizeof(buf), 0);
		size_t left = got > 0 ? (size_t)got : 0;

		if (got <= 0)
			return give_up(n->diag_fd);
		for (const struct nlmsghdr *h = (const struct nlmsghdr *)buf; NLMSG_OK(h, left);
			h = NLMSG_NEXT(h, left))
			if (one_message(n, h, d, f) < 0)
				return give_up(n->diag_fd);
	}
	return 0;
}

enum owner owner_of_port(const struct net *n, const struct net_dest *d)
{
	struct found f = { 0 };

	if (d->proto == NET_ICMP || d->port == 0)
		return OWNER_OTHER;
	/* One socket may serve both families. */
	if (look(n, AF_INET6, d, &f) < 0 || (!d->v6 && look(n, AF_INET, d, &f) < 0))
		return OWNER_OTHER;
	if (f.foreign)
		return OWNER_OTHER;
	return f.any ? OWNER_POD : OWNER_NOBODY;
}
