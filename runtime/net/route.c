/* SPDX-License-Identifier: Apache-2.0
 *
 * Asking the kernel's routing (rtnetlink(7)): addresses come and go while a container runs,
 * so a list made at its start would be wrong sooner or later.
 */
#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "runtime/net/internal.h"

struct request {
	struct nlmsghdr head;
	struct rtmsg route;
	struct rtattr attr;
	uint8_t addr[16];
};

static void fill(struct request *q, const struct net_dest *d)
{
	size_t bytes = d->v6 ? 16 : 4;

	memset(q, 0, sizeof(*q));
	net_addr_to_bytes(d->addr, d->v6, q->addr);
	q->head.nlmsg_len = (uint32_t)(offsetof(struct request, addr) + bytes);
	q->head.nlmsg_type = RTM_GETROUTE;
	q->head.nlmsg_flags = NLM_F_REQUEST;
	q->route.rtm_family = d->v6 ? AF_INET6 : AF_INET;
	q->route.rtm_dst_len = (unsigned char)(bytes * 8);
	q->attr.rta_len = (unsigned short)(sizeof(q->attr) + bytes);
	q->attr.rta_type = RTA_DST;
}

enum route route_of(int route_fd, const struct net_dest *d)
{
	_Alignas(struct nlmsghdr) char buf[4096];
	const struct nlmsghdr *h = (const struct nlmsghdr *)buf;
	struct request q;
	ssize_t n;

	fill(&q, d);
	if (send(route_fd, &q, q.head.nlmsg_len, 0) < 0)
		return ROUTE_OTHER;
	n = recv(route_fd, buf, sizeof(buf), 0);
	if (n < (ssize_t)sizeof(*h) || !NLMSG_OK(h, (size_t)n))
		return ROUTE_OTHER;
	/* Unreachable: the call itself will tell the caller why. */
	if (h->nlmsg_type == NLMSG_ERROR)
		return ROUTE_AWAY;
	if (h->nlmsg_type != RTM_NEWROUTE || h->nlmsg_len < NLMSG_LENGTH(sizeof(struct rtmsg)))
		return ROUTE_OTHER;
	switch (((const struct rtmsg *)NLMSG_DATA(h))->rtm_type) {
	case RTN_LOCAL: return ROUTE_HERE;
	case RTN_UNICAST:
	case RTN_BLACKHOLE:
	case RTN_UNREACHABLE:
	case RTN_PROHIBIT: return ROUTE_AWAY;
	default: return ROUTE_OTHER;
	}
}
