/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks the kernel's routing (rtnetlink(7)). Addresses come and go while a container runs, so a list
 * that is made at the start would become wrong. The supervisor remembers that an address belongs to
 * another host until the kernel reports a change of addresses, routes or rules.
 */
#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "runtime/net/reach/reach.h"

struct route_request {
	struct nlmsghdr head;
	struct rtmsg route;
	struct rtattr attr;
	uint8_t addr[16];
};

static void fill_request(struct route_request *q, const struct net_dest *d)
{
	size_t bytes = d->v6 ? 16 : 4;

	memset(q, 0, sizeof(*q));
	net_addr_to_bytes(d->addr, d->v6, q->addr);
	q->head.nlmsg_len = (uint32_t)(offsetof(struct route_request, addr) + bytes);
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
	struct route_request q;
	ssize_t n;

	fill_request(&q, d);
	if (send(route_fd, &q, q.head.nlmsg_len, 0) < 0)
		return ROUTE_OTHER;
	n = recv(route_fd, buf, sizeof(buf), 0);
	if (n < (ssize_t)sizeof(*h) || !NLMSG_OK(h, (size_t)n))
		return ROUTE_OTHER;
	/* The destination is unreachable: the call itself will tell the caller why. */
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

/* The receive buffer for changes. If more changes come, the kernel drops them and reports ENOBUFS,
 * which counts as a change. */
#define NEWS_BYTES 4096
#define NEWS_MAX   64 /* messages read at a time */

int net_watch_routes(void)
{
	const struct sockaddr_nl groups = {
		.nl_family = AF_NETLINK,
		.nl_groups = RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV4_RULE |
			     RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE | 1U << (RTNLGRP_IPV6_RULE - 1),
	};
	const int bytes = NEWS_BYTES;
	auto_fd int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)) < 0 ||
		bind(fd, (const struct sockaddr *)&groups, sizeof(groups)) < 0)
		return -1;
	return take_fd(&fd);
}

/* Whether the kernel has reported a change since the last call. */
static bool has_news(int news_fd)
{
	char buf[NEWS_BYTES];
	int told = 0;

	while (told < NEWS_MAX &&
		(recv(news_fd, buf, sizeof(buf), MSG_TRUNC) > 0 || errno == ENOBUFS))
		told++;
	return told > 0 || errno != EAGAIN;
}

static struct route_away *away_slot(struct reach *r, const struct net_dest *d)
{
	const uint64_t mix = (uint64_t)(d->addr ^ d->addr >> 64) * 0x9e3779b97f4a7c15ULL;

	return &r->away[mix >> 32 & (ROUTE_AWAY_MAX - 1)];
}

bool route_is_away(struct reach *r, const struct net_dest *d)
{
	const struct route_away *a = away_slot(r, d);
	const int node_fd = r->node_news_fd;

	if (has_news(r->news_fd) || (node_fd >= 0 && has_news(node_fd))) {
		memset(r->away, 0, sizeof(r->away));
		return false;
	}
	return a->known && a->v6 == d->v6 && a->addr == d->addr;
}

void route_note_away(struct reach *r, const struct net_dest *d)
{
	*away_slot(r, d) = (struct route_away){ true, d->v6, d->addr };
}
