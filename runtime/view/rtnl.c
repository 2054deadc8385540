/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/view/rtnl.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#define ANSWER_MAX 8192

static struct nlmsghdr *head_of(struct rtnl *m)
{
	return (struct nlmsghdr *)m->bytes;
}

void rtnl_begin(struct rtnl *m, uint16_t type, uint16_t flags, const void *body, size_t n)
{
	struct nlmsghdr *h = head_of(m);

	memset(m, 0, sizeof(*m));
	h->nlmsg_type = type;
	h->nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags);
	h->nlmsg_len = (uint32_t)NLMSG_LENGTH(n);
	memcpy(NLMSG_DATA(h), body, n);
}

size_t rtnl_nest(struct rtnl *m, uint16_t type)
{
	struct nlmsghdr *h = head_of(m);
	size_t at = NLMSG_ALIGN(h->nlmsg_len);
	struct rtattr *a = (struct rtattr *)(m->bytes + at);

	a->rta_type = type;
	h->nlmsg_len = (uint32_t)(at + RTA_LENGTH(0));
	return at;
}

void rtnl_end(struct rtnl *m, size_t nest)
{
	struct rtattr *a = (struct rtattr *)(m->bytes + nest);

	a->rta_len = (unsigned short)(head_of(m)->nlmsg_len - nest);
}

void rtnl_put(struct rtnl *m, uint16_t type, const void *value, size_t n)
{
	size_t at = rtnl_nest(m, type);

	memcpy(m->bytes + at + RTA_LENGTH(0), value, n);
	head_of(m)->nlmsg_len += (uint32_t)n;
	rtnl_end(m, at);
}

int rtnl_open(void)
{
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
}

/* The kernel answers before send(2) returns, so nothing here blocks. */
static ssize_t ask_kernel(int fd, struct rtnl *m, void *answer)
{
	const struct nlmsghdr *h = head_of(m);

	if (send(fd, h, h->nlmsg_len, 0) != (ssize_t)h->nlmsg_len)
		return -1;
	return recv(fd, answer, ANSWER_MAX, MSG_DONTWAIT);
}

int rtnl_change(int fd, struct rtnl *m)
{
	_Alignas(struct nlmsghdr) char answer[ANSWER_MAX];
	const struct nlmsghdr *h = (const struct nlmsghdr *)answer;
	ssize_t n;

	head_of(m)->nlmsg_flags |= NLM_F_ACK;
	n = ask_kernel(fd, m, answer);
	if (n < 0)
		return -1;
	if (!NLMSG_OK(h, (size_t)n) || h->nlmsg_type != NLMSG_ERROR ||
		h->nlmsg_len < NLMSG_LENGTH(sizeof(struct nlmsgerr))) {
		errno = EPROTO;
		return -1;
	}
	errno = -((const struct nlmsgerr *)NLMSG_DATA(h))->error;
	return errno == 0 ? 0 : -1;
}

int rtnl_read_source(const void *answer, size_t n, bool v6, uint8_t *ret_addr)
{
	const struct nlmsghdr *h = answer;
	const size_t size = v6 ? 16 : 4;
	const struct rtmsg *route;
	int left; /* signed, because the padding of the last attribute may be missing */

	if (!NLMSG_OK(h, n) || h->nlmsg_type != RTM_NEWROUTE ||
		h->nlmsg_len < NLMSG_LENGTH(sizeof(*route)))
		return -1;
	route = NLMSG_DATA(h);
	if (route->rtm_type != RTN_UNICAST || route->rtm_family != (v6 ? AF_INET6 : AF_INET))
		return -1;
	left = (int)(h->nlmsg_len - NLMSG_LENGTH(sizeof(*route)));
	for (const struct rtattr *a = RTM_RTA(route); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		if (a->rta_type != RTA_PREFSRC || RTA_PAYLOAD(a) != size)
			continue;
		memcpy(ret_addr, RTA_DATA(a), size);
		return 0;
	}
	return -1;
}

int rtnl_source(int fd, const uint8_t *to, bool v6, uint8_t *ret_addr)
{
	_Alignas(struct nlmsghdr) char answer[ANSWER_MAX];
	const size_t size = v6 ? 16 : 4;
	const struct rtmsg body = { .rtm_family = v6 ? AF_INET6 : AF_INET,
		.rtm_dst_len = (unsigned char)(size * 8) };
	struct rtnl m;
	ssize_t n;

	rtnl_begin(&m, RTM_GETROUTE, 0, &body, sizeof(body));
	rtnl_put(&m, RTA_DST, to, size);
	n = ask_kernel(fd, &m, answer);
	return n < 0 ? -1 : rtnl_read_source(answer, (size_t)n, v6, ret_addr);
}
