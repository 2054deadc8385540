/* SPDX-License-Identifier: Apache-2.0
 *
 * Which sockets may be created, which options may be set, and which calls on sockets notify the
 * supervisor.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "runtime/base/count.h"
#include "runtime/confine/internal.h"

#define SOCKET_TYPE_MASK 0xf /* SOCK_TYPE_MASK of the kernel: the other bits are flags */

#ifndef SO_BINDTOIFINDEX
#define SO_BINDTOIFINDEX 62
#endif
#ifndef IPV6_UNICAST_IF
#define IPV6_UNICAST_IF 76
#endif
#ifndef IPV6_FLOWLABEL_MGR
#define IPV6_FLOWLABEL_MGR 32 /* linux/in6.h, which the C library's header excludes */
#endif
#ifndef IP_LOCAL_PORT_RANGE
#define IP_LOCAL_PORT_RANGE 51 /* 6.3 */
#endif
#ifndef IPV6_2292RTHDR
#define IPV6_2292RTHDR 5
#endif
#ifndef IPV6_2292PKTOPTIONS
#define IPV6_2292PKTOPTIONS 6
#endif
#ifndef IPV6_TRANSPARENT
#define IPV6_TRANSPARENT 75
#endif

/* If no rule allows UDP but interfaces are shown, the supervisor creates a socket that can be asked
 * about interfaces and cannot send (runtime/view). */
static bpf_node rule_datagram(struct filter_rules *r)
{
	static const uint32_t udp[] = { 0, IPPROTO_UDP }, ping[] = { IPPROTO_ICMP, IPPROTO_ICMPV6 };
	const struct filter_params *p = r->params;
	bpf_node next = filter_fail(r, EPERM);

	if (!filter_has_datagrams(p) && !p->view)
		return next;
	if (p->allow_ping)
		next = bpf_if_any(r->b, ping, COUNT(ping), filter_pass(r), next);
	if (p->allow_udp)
		next = bpf_if_any(r->b, udp, COUNT(udp), filter_pass(r), next);
	else if (p->view)
		next = bpf_if_any(r->b, udp, COUNT(udp), filter_ask(r), next);
	return bpf_load(r->b, BPF_ARG_LOW(2), next);
}

/* The kernel makes a datagram socket of AF_UNIX for SOCK_RAW too (unix(7)). */
static bpf_node rule_unix(struct filter_rules *r)
{
	static const uint32_t datagrams[] = { SOCK_DGRAM, SOCK_RAW };
	bpf_node next = filter_pass(r);

	if (!r->params->judge_unix || filter_has_datagrams(r->params))
		return next;
	next = bpf_if_any(r->b, datagrams, COUNT(datagrams), filter_fail(r, EPERM), next);
	return bpf_load(r->b, BPF_ARG_LOW(1), bpf_and(r->b, SOCKET_TYPE_MASK, next));
}

/* socket(family, type, protocol) */
bpf_node filter_rule_socket(struct filter_rules *r)
{
	static const uint32_t protocols[] = { 0, IPPROTO_TCP };
	bpf_node passed = filter_pass(r);
	bpf_node no_family = filter_fail(r, EAFNOSUPPORT);
	bpf_node stream, inet, netlink, asked, next;

	asked = filter_ask(r);
	netlink = r->params->own_stack ? passed : asked;
	netlink = bpf_if(r->b, BPF_JEQ, NETLINK_SOCK_DIAG, netlink, no_family);
	netlink = bpf_if(r->b, BPF_JEQ, NETLINK_ROUTE, r->params->view ? asked : passed, netlink);
	netlink = bpf_load(r->b, BPF_ARG_LOW(2), netlink);
	stream = bpf_if_any(
		r->b, protocols, COUNT(protocols), passed, filter_fail(r, EPROTONOSUPPORT));
	stream = bpf_load(r->b, BPF_ARG_LOW(2), stream);
	inet = bpf_if(r->b, BPF_JEQ, SOCK_DGRAM, rule_datagram(r), filter_fail(r, EPERM));
	inet = bpf_if(r->b, BPF_JEQ, SOCK_STREAM, stream, inet);
	inet = bpf_load(r->b, BPF_ARG_LOW(1), bpf_and(r->b, SOCKET_TYPE_MASK, inet));
	next = bpf_if(r->b, BPF_JEQ, AF_NETLINK, netlink, no_family);
	next = bpf_if(r->b, BPF_JEQ, AF_INET6, inet, next);
	next = bpf_if(r->b, BPF_JEQ, AF_INET, inet, next);
	next = bpf_if(r->b, BPF_JEQ, AF_UNIX, rule_unix(r), next);
	return bpf_load(r->b, BPF_ARG_LOW(0), next);
}

bpf_node filter_rule_socketpair(struct filter_rules *r, int arg)
{
	bpf_node next = bpf_if(r->b, BPF_JEQ, AF_UNIX, rule_unix(r), filter_fail(r, EAFNOSUPPORT));

	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* setsockopt(fd, level, name, …) */
bpf_node filter_rule_setsockopt(struct filter_rules *r, int arg)
{
	static const struct {
		uint32_t level;
		int code;
		uint32_t names[7]; /* ends with a 0, which is not an option here */
	} refused[] = {
		{ SOL_SOCKET, EPERM, { SO_MARK, SO_BINDTODEVICE, SO_BINDTOIFINDEX } },
		{ IPPROTO_TCP, ENOENT, { TCP_ULP } },
		{ IPPROTO_IP, EPERM, { IP_TRANSPARENT, IP_OPTIONS, IP_UNICAST_IF } },
		/* With this option the kernel could choose a port that the container may not ask
		 * for. Kernels before 6.3 return ENOPROTOOPT, and programs continue without the
		 * option. */
		{ IPPROTO_IP, ENOPROTOOPT, { IP_LOCAL_PORT_RANGE } },
		/* A flow label can carry IPv6 options, so it is refused too. */
		{ IPPROTO_IPV6, EPERM,
			{ IPV6_TRANSPARENT, IPV6_UNICAST_IF, IPV6_PKTINFO, IPV6_RTHDR,
				IPV6_2292RTHDR, IPV6_2292PKTOPTIONS, IPV6_FLOWLABEL_MGR } },
	};
	bpf_node passed = filter_pass(r);
	bpf_node next = passed;

	for (size_t i = COUNT(refused); i-- > 0;) {
		bpf_node other = next, again, names;
		size_t n = 0;

		while (n < COUNT(refused[i].names) && refused[i].names[n] != 0)
			n++;
		/* A level can occur in several entries: if the name does not match, the level is
		 * compared with the next entries. */
		again = other == passed ? passed
					: bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), other);
		names = bpf_if_any(
			r->b, refused[i].names, n, filter_fail(r, refused[i].code), again);
		names = bpf_load(r->b, BPF_ARG_LOW(2), names);
		next = bpf_if(r->b, BPF_JEQ, refused[i].level, names, other);
	}
	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

bpf_node filter_rule_send(struct filter_rules *r, int arg)
{
	bpf_node next = bpf_if(r->b, BPF_JSET, MSG_FASTOPEN, filter_fail(r, EPERM), filter_pass(r));

	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* Notifies the supervisor when the argument is not NULL. Both halves of the pointer are
 * compared. */
bpf_node filter_rule_pointer(struct filter_rules *r, int arg)
{
	bpf_node asked = filter_ask(r);
	bpf_node next = bpf_if(r->b, BPF_JEQ, 0, filter_pass(r), asked);

	next = bpf_load(r->b, BPF_ARG_HIGH((unsigned int)arg), next);
	next = bpf_if(r->b, BPF_JEQ, 0, next, asked);
	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* sendto(fd, buffer, length, flags, address, …) */
bpf_node filter_rule_sendto(struct filter_rules *r, int arg)
{
	bpf_node next = filter_rule_pointer(r, 4);

	next = bpf_if(r->b, BPF_JSET, MSG_FASTOPEN, filter_fail(r, EPERM), next);
	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

bpf_node filter_rule_sendmsg(struct filter_rules *r, int arg)
{
	bpf_node next = bpf_if(r->b, BPF_JSET, MSG_FASTOPEN, filter_fail(r, EPERM), filter_ask(r));

	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* A caller with MSG_CMSG_CLOEXEC expects descriptors, so it reads from a unix socket, which has no
 * ports. The threads of init do this too, and they must not wait for the supervisor, which waits
 * for them. */
bpf_node filter_rule_recvmsg(struct filter_rules *r, int arg)
{
	bpf_node next = bpf_if(r->b, BPF_JSET, MSG_CMSG_CLOEXEC, filter_pass(r), filter_ask(r));

	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}
