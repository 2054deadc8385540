/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose is a port? Every socket that holds it is looked up; all of them must be held by
 * processes of the own pod.
 */
#include "runtime/net/internal.h"

struct question {
	const struct net *n;
	const struct net_dest *d; /* of a connect or send */
	const struct net_bind *b; /* of a bind */
	bool any;
	bool foreign;
};

/* A socket for every address, or for this one, would get it. */
static bool would_get(const struct holder *h, const struct net_dest *d)
{
	if (h->v6 == d->v6)
		return h->addr == 0 || h->addr == d->addr;
	return h->v6 && h->addr == 0 && !h->v6only;
}

static bool every_v4(bool v6, bool v6only, net_addr addr)
{
	return addr == 0 && (!v6 || !v6only);
}

/* As the kernel looks for conflicts (ipv6_rcv_saddr_equal() in net/ipv4/inet_connection_sock.c):
 * an address for all stands in the way of each one, of its family or of both. Of a socket that
 * shares it is not believed that it leaves the other family alone: a thread could undo that. */
static bool would_share(const struct holder *h, const struct net_bind *b)
{
	if (h->v6 == b->v6)
		return h->addr == 0 || b->addr == 0 || h->addr == b->addr;
	return h->v6 ? every_v4(true, h->v6only, h->addr)
		     : every_v4(true, b->v6only && !b->shares, b->addr);
}

static void judge_holder(const struct holder *h, void *ctx)
{
	struct question *q = ctx;

	if (q->d ? !would_get(h, q->d) : !would_share(h, q->b))
		return;
	q->any = true;
	q->foreign |= !q->n->setup.host->owns(q->n->setup.ctx, h->inode);
}

static enum owner answer(const struct question *q)
{
	if (q->foreign)
		return OWNER_OTHER;
	return q->any ? OWNER_POD : OWNER_NOBODY;
}

enum owner owner_of_port(const struct net *n, const struct net_dest *d)
{
	struct question q = { .n = n, .d = d };

	if (d->proto == NET_ICMP || d->port == 0 ||
		holders_each(n->diag_fd, d->proto, d->port, HOLDERS_RECEIVERS, judge_holder, &q) <
			0)
		return OWNER_OTHER;
	return answer(&q);
}

enum owner owner_in_the_way(const struct net *n, const struct net_bind *b, uint16_t port)
{
	struct question q = { .n = n, .b = b };
	/* What does not listen yet is in nobody's way who does not share, and to find it the
	 * kernel goes through a large table. */
	enum holders_of which = b->shares ? HOLDERS_BOUND : HOLDERS_RECEIVERS;

	if (holders_each(n->diag_fd, b->proto, port, which, judge_holder, &q) < 0)
		return OWNER_OTHER;
	return answer(&q);
}
