/* SPDX-License-Identifier: Apache-2.0
 *
 *   ifprobe WHAT [ARGUMENT...]
 *
 * What a program can find out about network interfaces, and change: over route sockets and by
 * ioctl(2). Runs inside any root. An error is printed by its name.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int result(int rc)
{
	printf("%s\n", rc < 0 ? strerrorname_np(errno) : "ok");
	return 0;
}

static int route_socket(int flags)
{
	return socket(AF_NETLINK, SOCK_RAW | flags, NETLINK_ROUTE);
}

/* list: names, then one line for each address. */
static int list(void)
{
	struct if_nameindex *names = if_nameindex();
	struct ifaddrs *all;
	char text[INET6_ADDRSTRLEN];

	if (!names || getifaddrs(&all) < 0)
		return result(-1);
	for (struct if_nameindex *n = names; n->if_index; n++)
		printf("link %s\n", n->if_name);
	for (struct ifaddrs *a = all; a; a = a->ifa_next) {
		if (!a->ifa_addr || a->ifa_addr->sa_family == AF_PACKET)
			continue;
		const bool v6 = a->ifa_addr->sa_family == AF_INET6;
		const void *at = v6 ? (void *)&((struct sockaddr_in6 *)a->ifa_addr)->sin6_addr
				    : (void *)&((struct sockaddr_in *)a->ifa_addr)->sin_addr;

		printf("addr %s %s\n", a->ifa_name,
			inet_ntop(a->ifa_addr->sa_family, at, text, sizeof(text)));
	}
	freeifaddrs(all);
	if_freenameindex(names);
	return 0;
}

struct link_facts {
	unsigned int flags, mtu, txqlen;
	unsigned char mac[6];
};

static int ask_link(int fd, const char *name, struct link_facts *ret)
{
	struct {
		struct nlmsghdr head;
		struct ifinfomsg body;
	} q = { .head = { sizeof(q), RTM_GETLINK, NLM_F_REQUEST, 1, 0 },
		.body = { .ifi_index = (int)if_nametoindex(name) } };
	_Alignas(struct nlmsghdr) char buf[16384];
	const struct nlmsghdr *h = (const struct nlmsghdr *)buf;
	const struct ifinfomsg *info = NLMSG_DATA(h);
	size_t left;

	if (send(fd, &q, sizeof(q), 0) < 0 || recv(fd, buf, sizeof(buf), 0) < 0)
		return -1;
	if (h->nlmsg_type != RTM_NEWLINK)
		return -1;
	ret->flags = info->ifi_flags;
	left = h->nlmsg_len - NLMSG_LENGTH(sizeof(*info));
	for (const struct rtattr *a = IFLA_RTA(info); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		if (a->rta_type == IFLA_MTU)
			memcpy(&ret->mtu, RTA_DATA(a), 4);
		else if (a->rta_type == IFLA_TXQLEN)
			memcpy(&ret->txqlen, RTA_DATA(a), 4);
		else if (a->rta_type == IFLA_ADDRESS && RTA_PAYLOAD(a) == 6)
			memcpy(ret->mac, RTA_DATA(a), 6);
	}
	return 0;
}

static int wrong(const char *name, const char *what)
{
	printf("%s: %s: %s\n", name, what, strerrorname_np(errno));
	return 1;
}

/* Compares the result of every command about one interface with netlink's. */
static int compare(int fd, int route_fd, const char *name)
{
	static const unsigned int also[] = { SIOCGIFMETRIC, SIOCGIFMAP };
	struct link_facts f = { 0 };
	struct ifreq r = { 0 };
	int bad = 0;

	if (ask_link(route_fd, name, &f) < 0)
		return wrong(name, "netlink");
	strcpy(r.ifr_name, name);
	errno = 0;
	if (ioctl(fd, SIOCGIFFLAGS, &r) < 0 ||
		(unsigned short)r.ifr_flags != (unsigned short)(f.flags & 0xffff))
		bad |= wrong(name, "flags");
	if (ioctl(fd, SIOCGIFMTU, &r) < 0 || (unsigned int)r.ifr_mtu != f.mtu)
		bad |= wrong(name, "mtu");
	if (ioctl(fd, SIOCGIFTXQLEN, &r) < 0 || (unsigned int)r.ifr_qlen != f.txqlen)
		bad |= wrong(name, "txqlen");
	if (ioctl(fd, SIOCGIFHWADDR, &r) < 0 || memcmp(r.ifr_hwaddr.sa_data, f.mac, 6) != 0)
		bad |= wrong(name, "hwaddr");
	if (ioctl(fd, SIOCGIFINDEX, &r) < 0 || (unsigned int)r.ifr_ifindex != if_nametoindex(name))
		bad |= wrong(name, "index");
	memset(r.ifr_name, 0, sizeof(r.ifr_name));
	if (ioctl(fd, SIOCGIFNAME, &r) < 0 || strcmp(r.ifr_name, name) != 0)
		bad |= wrong(name, "name");
	for (size_t i = 0; i < sizeof(also) / sizeof(also[0]); i++)
		if (ioctl(fd, also[i], &r) < 0)
			bad |= wrong(name, "another command");
	return bad;
}

/* Checks that each address that SIOCGIFCONF lists is also one of netlink's, with its mask. */
static int compare_addresses(int fd, const struct ifconf *conf, struct ifaddrs *all)
{
	int n = conf->ifc_len / (int)sizeof(struct ifreq), bad = 0;

	for (int i = 0; i < n; i++) {
		struct ifreq r = conf->ifc_req[i];
		struct in_addr addr = ((struct sockaddr_in *)&r.ifr_addr)->sin_addr;
		struct ifaddrs *a = all;

		while (a && (strcmp(a->ifa_name, r.ifr_name) != 0 || !a->ifa_addr ||
				    a->ifa_addr->sa_family != AF_INET ||
				    ((struct sockaddr_in *)a->ifa_addr)->sin_addr.s_addr !=
					    addr.s_addr))
			a = a->ifa_next;
		if (!a)
			bad |= wrong(r.ifr_name, "unknown address");
		else if (ioctl(fd, SIOCGIFNETMASK, &r) < 0 ||
			 memcmp(&((struct sockaddr_in *)&r.ifr_netmask)->sin_addr,
				 &((struct sockaddr_in *)a->ifa_netmask)->sin_addr, 4) != 0)
			bad |= wrong(r.ifr_name, "netmask");
		if (ioctl(fd, SIOCGIFADDR, &conf->ifc_req[i]) < 0 ||
			ioctl(fd, SIOCGIFBRDADDR, &r) < 0 || ioctl(fd, SIOCGIFDSTADDR, &r) < 0)
			bad |= wrong(r.ifr_name, "address");
	}
	return bad;
}

/* agree: prints "agree" and the number of interfaces and addresses. */
static int agree(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), route_fd = route_socket(0), bad = 0, links = 0;
	struct if_nameindex *names = if_nameindex();
	struct ifconf size = { 0 }, conf;
	struct ifreq room[64];
	struct ifaddrs *all;

	if (fd < 0 || route_fd < 0 || !names || getifaddrs(&all) < 0 ||
		ioctl(fd, SIOCGIFCONF, &size) < 0)
		return result(-1);
	conf = (struct ifconf){ .ifc_len = sizeof(room), .ifc_req = room };
	if (ioctl(fd, SIOCGIFCONF, &conf) < 0 || conf.ifc_len != size.ifc_len)
		bad |= wrong("all", "conf");
	for (; names[links].if_index; links++)
		bad |= compare(fd, route_fd, names[links].if_name);
	bad |= compare_addresses(fd, &conf, all);
	printf("%s %d %d\n", bad ? "differ" : "agree", links,
		conf.ifc_len / (int)sizeof(struct ifreq));
	/* SIOCGIFCONF fills the room that it was given and writes nothing behind it. */
	memset(room, 0x55, sizeof(room));
	conf.ifc_len = (int)sizeof(struct ifreq) + 1;
	ioctl(fd, SIOCGIFCONF, &conf);
	printf("%s %s\n", conf.ifc_len == (int)sizeof(struct ifreq) ? "cut" : "whole",
		((unsigned char *)&room[1])[0] == 0x55 ? "clean" : "written");
	return bad;
}

/* Sends one request that would change something. Returns 0, or -1 with errno. */
static int change_one(int fd, uint16_t type, uint16_t flags, const void *body, size_t n)
{
	_Alignas(struct nlmsghdr) char buf[4096] = { 0 };
	struct nlmsghdr *h = (struct nlmsghdr *)buf;

	h->nlmsg_len = (uint32_t)NLMSG_LENGTH(n);
	h->nlmsg_type = type;
	h->nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags);
	memcpy(NLMSG_DATA(h), body, n);
	if (send(fd, buf, h->nlmsg_len, 0) < 0 || recv(fd, buf, sizeof(buf), 0) < 0)
		return -1;
	errno = h->nlmsg_type == NLMSG_ERROR ? -((struct nlmsgerr *)NLMSG_DATA(h))->error : EPROTO;
	return errno ? -1 : 0;
}

/* change: tries to set lo down and up, to add an address to it, to delete a route. */
static int change(void)
{
	struct {
		struct ifaddrmsg body;
		struct rtattr attr;
		uint8_t addr[4];
	} addr = { { AF_INET, 32, 0, 0, 1 }, { 8, IFA_LOCAL }, { 127, 1, 2, 3 } };
	struct ifinfomsg link = { .ifi_index = 1, .ifi_change = IFF_UP };
	struct {
		struct rtmsg body;
		struct rtattr attr;
		uint8_t to[4];
		struct rtattr oif;
		int index;
	} route = { { AF_INET, 32, 0, 0, RT_TABLE_MAIN, RTPROT_BOOT, RT_SCOPE_LINK, RTN_UNICAST,
			    0 },
		{ 8, RTA_DST }, { 127, 9, 9, 9 }, { 8, RTA_OIF }, 1 };
	int fd = route_socket(0);

	result(change_one(fd, RTM_SETLINK, 0, &link, sizeof(link)));
	link.ifi_flags = IFF_UP;
	result(change_one(fd, RTM_NEWLINK, 0, &link, sizeof(link)));
	result(change_one(fd, RTM_NEWADDR, NLM_F_CREATE, &addr, sizeof(addr)));
	result(change_one(fd, RTM_DELADDR, 0, &addr, sizeof(addr)));
	result(change_one(fd, RTM_NEWROUTE, NLM_F_CREATE, &route, sizeof(route)));
	return result(change_one(fd, RTM_DELROUTE, 0, &route, sizeof(route)));
}

/* flags: descriptor and status flags of the four kinds, an empty non-blocking read, bad types. */
static int flags(void)
{
	static const int kinds[] = { 0, SOCK_CLOEXEC, SOCK_NONBLOCK, SOCK_CLOEXEC | SOCK_NONBLOCK };
	struct sockaddr_nl a;
	socklen_t len = sizeof(a);
	char c;

	for (size_t i = 0; i < 4; i++) {
		int fd = route_socket(kinds[i]);

		printf("%d %d\n", fcntl(fd, F_GETFD), !!(fcntl(fd, F_GETFL) & O_NONBLOCK));
		close(fd);
	}
	result((int)recv(route_socket(SOCK_NONBLOCK), &c, 1, 0));
	result(socket(AF_NETLINK, SOCK_DGRAM, NETLINK_ROUTE));
	result(socket(AF_NETLINK, SOCK_STREAM, NETLINK_ROUTE));
	result(socket(AF_NETLINK, SOCK_RAW | 0x100, NETLINK_ROUTE));
	int fd = route_socket(0);

	memset(&a, 0, sizeof(a));
	a.nl_family = AF_NETLINK;
	result(bind(fd, (struct sockaddr *)&a, sizeof(a)));
	getsockname(fd, (struct sockaddr *)&a, &len);
	printf("%s %s %u\n", a.nl_family == AF_NETLINK ? "netlink" : "else",
		a.nl_pid == (unsigned int)getpid() ? "own" : "other", len);
	a.nl_groups = RTMGRP_LINK;
	a.nl_pid = 0;
	return result(bind(route_socket(0), (struct sockaddr *)&a, sizeof(a)));
}

static void pass_on(int sock, int fd)
{
	_Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(int))] = { 0 };
	char byte = 'x';
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = room,
		.msg_controllen = sizeof(room) };
	struct cmsghdr *h = CMSG_FIRSTHDR(&m);

	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(h), &fd, sizeof(int));
	sendmsg(sock, &m, 0);
}

static int take(int sock)
{
	_Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof(int))];
	char byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = room,
		.msg_controllen = sizeof(room) };
	int fd = -1;

	if (recvmsg(sock, &m, 0) == 1 && CMSG_FIRSTHDR(&m))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(int));
	return fd;
}

/* passed: asks on the same socket as a duplicate, in a child, and received from another process. */
static int passed(void)
{
	struct link_facts f = { 0 };
	int fd = route_socket(0), pair[2];

	fflush(stdout);
	result(ask_link(dup(fd), "lo", &f));
	fflush(stdout);
	if (fork() == 0) {
		result(ask_link(fd, "lo", &f));
		exit(0);
	}
	wait(NULL);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		return result(-1);
	if (fork() == 0) {
		pass_on(pair[1], route_socket(SOCK_CLOEXEC));
		exit(0);
	}
	result(ask_link(take(pair[0]), "lo", &f));
	wait(NULL);
	return 0;
}

/* many N: opens N sockets and sends one request on each, one after the other. */
static int many(int n)
{
	int asked = socket(AF_INET, SOCK_STREAM, 0), bad = 0;
	struct ifreq r = { .ifr_name = "lo" };

	for (int i = 0; i < n; i++) {
		int fd = route_socket(SOCK_CLOEXEC);

		bad += fd < 0 || ioctl(asked, SIOCGIFINDEX, &r) < 0;
		close(fd);
	}
	printf("%d of %d failed\n", bad, n);
	return 0;
}

/* ioctl KIND COMMAND: calls it on a socket of that kind, on a file, or on an invalid descriptor. */
static int command(const char *kind, unsigned long number)
{
	struct ifreq r = { .ifr_name = "lo" };
	int fd = 99;

	if (strcmp(kind, "file") == 0)
		fd = open("/", O_RDONLY);
	else if (strcmp(kind, "path") == 0)
		fd = open("/", O_PATH);
	else if (strcmp(kind, "netlink") == 0)
		fd = route_socket(0);
	else if (strcmp(kind, "none") != 0)
		fd = socket(strcmp(kind, "unix") == 0 ? AF_UNIX
			    : strcmp(kind, "6") == 0  ? AF_INET6
						      : AF_INET,
			SOCK_STREAM, 0);
	return result(ioctl(fd, number, &r));
}

/* datagram ADDRESS: what a UDP socket is good for: two ways to bind it, a send before and
 * after a connect, the address that the connect chose, a question about lo. */
static int datagram(int family, const char *to)
{
	struct sockaddr_in6 any6 = { .sin6_family = AF_INET6, .sin6_port = htons(5353) },
			    far6 = any6;
	struct sockaddr_in any4 = { .sin_family = AF_INET, .sin_port = htons(5353) }, far4 = any4;
	const bool v6 = family == AF_INET6;
	struct sockaddr *any = v6 ? (struct sockaddr *)&any6 : (struct sockaddr *)&any4;
	struct sockaddr *far = v6 ? (struct sockaddr *)&far6 : (struct sockaddr *)&far4;
	struct sockaddr none = { .sa_family = AF_UNSPEC };
	socklen_t len = v6 ? sizeof(any6) : sizeof(any4), got = len;
	struct ifreq r = { .ifr_name = "lo" };
	char text[INET6_ADDRSTRLEN];
	int fd = socket(family, SOCK_DGRAM, 0);

	inet_pton(family, to, v6 ? (void *)&far6.sin6_addr : (void *)&far4.sin_addr);
	if (fd < 0)
		return result(-1);
	result(bind(fd, any, len));
	any4.sin_port = any6.sin6_port = 0;
	result(bind(fd, any, len));
	result((int)sendto(fd, "x", 1, MSG_NOSIGNAL, far, len));
	result(connect(fd, &none, sizeof(none)));
	result(bind(fd, any, len));
	result(connect(fd, far, len));
	getsockname(fd, any, &got);
	printf("%s\n", inet_ntop(family, v6 ? (void *)&any6.sin6_addr : (void *)&any4.sin_addr,
			       text, sizeof(text)));
	result((int)send(fd, "x", 1, MSG_NOSIGNAL));
	result((int)recv(fd, text, 1, MSG_DONTWAIT));
	return result(ioctl(fd, SIOCGIFFLAGS, &r));
}

/* bad-memory: passes invalid pointers. */
static int bad_memory(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct ifconf conf = { .ifc_len = 4096, .ifc_buf = (char *)8 };

	result(ioctl(fd, SIOCGIFFLAGS, (void *)8));
	result(ioctl(fd, SIOCGIFCONF, (void *)8));
	result(ioctl(fd, SIOCGIFCONF, &conf));
	conf.ifc_len = -1;
	result(ioctl(fd, SIOCGIFCONF, &conf));
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "list") == 0)
		return list();
	if (strcmp(what, "agree") == 0)
		return agree();
	if (strcmp(what, "change") == 0)
		return change();
	if (strcmp(what, "flags") == 0)
		return flags();
	if (strcmp(what, "passed") == 0)
		return passed();
	if (strcmp(what, "bad-memory") == 0)
		return bad_memory();
	if (strcmp(what, "datagram") == 0 && argc > 2)
		return datagram(strchr(argv[2], ':') ? AF_INET6 : AF_INET, argv[2]);
	if (strcmp(what, "socket") == 0)
		return result(route_socket(0));
	if (strcmp(what, "many") == 0 && argc > 2)
		return many(atoi(argv[2]));
	if (strcmp(what, "ioctl") == 0 && argc > 3)
		return command(argv[2], strtoul(argv[3], NULL, 0));
	return 2;
}
