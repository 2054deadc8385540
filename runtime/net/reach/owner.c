/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the owner of a port. The port is the pod's if processes of the pod hold every socket that
 * holds the port.
 */
#include "runtime/net/reach/reach.h"

struct owner_question {
	const struct reach *r;
	const struct net_dest *d; /* the destination of a connect or send */
	const struct net_bind *b; /* the address of a bind */
	uint64_t inodes[NET_HOLDERS_MAX];
	size_t n_inodes;
	bool foreign;
};

/* Finds conflicts as the kernel does (ipv6_rcv_saddr_equal() in net/ipv4/inet_connection_sock.c):
 * the address for all conflicts with every address of its family, or of both families. IPV6_V6ONLY
 * of a socket that can share its port is not trusted, because a thread could change it back. */
static bool would_share(const struct holder *h, const struct net_bind *b)
{
	if (h->v6 == b->v6)
		return h->addr == 0 || b->addr == 0 || h->addr == b->addr;
	return h->v6 ? h->addr == 0 && !h->v6only : b->addr == 0 && (!b->v6only || b->shares);
}

static void judge_holder(const struct holder *h, void *ctx)
{
	struct owner_question *q = ctx;

	if (q->d ? !net_gets(h->v6, h->v6only, h->addr, q->d) : !would_share(h, q->b))
		return;
	if (q->n_inodes == NET_HOLDERS_MAX)
		q->foreign = true;
	else
		q->inodes[q->n_inodes++] = h->inode;
}

/* Lists the holders. Returns false when *ret already has the answer. */
static bool list_holders(struct owner_question *q, enum net_proto proto, uint16_t port,
	enum holders_of which, enum owner *ret)
{
	const struct rule_ports one = { port, port };

	if (holders_each(q->r->diag_fd, proto, one, which, judge_holder, q) < 0 || q->foreign)
		*ret = OWNER_OTHER;
	else if (q->n_inodes == 0)
		*ret = OWNER_NOBODY;
	else
		return true;
	return false;
}

static enum owner ask_holders(
	struct owner_question *q, enum net_proto proto, uint16_t port, enum holders_of which)
{
	enum owner owner;

	if (!list_holders(q, proto, port, which, &owner))
		return owner;
	return q->r->host->owns(q->r->ctx, q->inodes, q->n_inodes) ? OWNER_POD : OWNER_OTHER;
}

enum owner owner_of_port(const struct reach *r, const struct net_dest *d)
{
	struct owner_question q = { .r = r, .d = d };

	if (d->proto == NET_ICMP || d->port == 0)
		return OWNER_OTHER;
	return ask_holders(&q, d->proto, d->port, HOLDERS_RECEIVERS);
}

enum owner owner_in_the_way(
	const struct reach *r, const struct net_bind *b, uint16_t port, enum holders_of which)
{
	struct owner_question q = { .r = r, .b = b };

	return ask_holders(&q, b->proto, port, which);
}

enum owner owner_known_in_the_way(const struct reach *r, const struct net_bind *b, uint16_t port,
	enum holders_of which, bool *ret_known)
{
	struct owner_question q = { .r = r, .b = b };
	enum owner owner;

	if (!list_holders(&q, b->proto, port, which, &owner))
		return owner;
	switch (r->host->knows(r->ctx, q.inodes, q.n_inodes)) {
	case NET_KNOWN_OWN: return OWNER_POD;
	case NET_KNOWN_FOREIGN: return OWNER_OTHER;
	case NET_UNKNOWN: break;
	}
	*ret_known = false;
	return OWNER_OTHER;
}

/* A socket that does not listen yet conflicts only with a socket that can share its port. To find
 * such sockets the kernel walks through a large table, so they are looked for only in that case. */
enum holders_of owner_worth_asking(const struct net_bind *b)
{
	return b->shares ? HOLDERS_BOUND : HOLDERS_RECEIVERS;
}
