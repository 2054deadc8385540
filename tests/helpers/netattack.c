/* SPDX-License-Identifier: Apache-2.0
 *
 * Ways around network rules, one system call or option each; static, so that it runs in any
 * root. Every line is "what result"; the verdict is what the listeners saw.
 *
 *	paths ADDRESS PORT		every way to send TCP and UDP to one address
 *	zero BIND PORT			to 0.0.0.0 and :: from a socket that is bound to BIND
 *	steer ADDRESS ADDRESS6 PORT	options and control data that choose the way of a packet
 *	unspec GOOD BAD PORT		AF_UNSPEC and second connects of a UDP socket
 *	form GOOD BAD PORT N		a thread makes a v6 socket a v4 one while it sends
 *	families			sockets that no rule can be about
 *	groups PORT ADDRESS...		datagrams to many
 *	fd N ADDRESS PORT		connect, or send a datagram, on a descriptor from outside
 *	taken PATH ADDRESS PORT		the same on the sockets that come through a unix socket
 *	give PATH			listens there and passes a TCP and a UDP socket
 *	packets PATH			connect to a unix socket of that kind
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/helpers/commands.h"

#ifndef SO_BINDTOIFINDEX
#define SO_BINDTOIFINDEX 62
#endif

struct dest {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} a;
	socklen_t len;
};

static struct dest destination(const char *ip, const char *port)
{
	struct dest d = { 0 };
	bool v6 = strchr(ip, ':');

	d.a.any.sa_family = v6 ? AF_INET6 : AF_INET;
	d.a.v4.sin_port = htons((uint16_t)atoi(port));
	d.len = v6 ? sizeof(d.a.v6) : sizeof(d.a.v4);
	if (inet_pton(d.a.any.sa_family, ip,
		    v6 ? (void *)&d.a.v6.sin6_addr : (void *)&d.a.v4.sin_addr) != 1)
		exit(2);
	return d;
}

static int make_socket(const struct dest *d, int type)
{
	return socket(d->a.any.sa_family, type, 0);
}

/* Prints the result and closes the socket. */
static void say(const char *what, int fd, ssize_t rc)
{
	printf("%s %s\n", what, rc >= 0 ? "ok" : strerrorname_np(errno));
	if (fd >= 0)
		close(fd);
}

struct letter {
	struct mmsghdr m;
	struct iovec iov;
	char byte;
	_Alignas(struct cmsghdr) unsigned char control[CMSG_SPACE(64)];
};

static struct msghdr *write_letter(struct letter *l, struct dest *d)
{
	*l = (struct letter){ .byte = 'x' };
	l->iov = (struct iovec){ &l->byte, 1 };
	l->m.msg_hdr = (struct msghdr){ .msg_name = d ? &d->a : NULL,
		.msg_namelen = d ? d->len : 0,
		.msg_iov = &l->iov,
		.msg_iovlen = 1 };
	return &l->m.msg_hdr;
}

/* Adds one item of control data. */
static struct msghdr *add_control(struct letter *l, int level, int type, const void *p, size_t n)
{
	const struct cmsghdr head = {
		.cmsg_len = CMSG_LEN(n), .cmsg_level = level, .cmsg_type = type
	};

	memcpy(l->control, &head, sizeof(head));
	memcpy(l->control + CMSG_LEN(0), p, n);
	l->m.msg_hdr.msg_control = l->control;
	l->m.msg_hdr.msg_controllen = CMSG_SPACE(n);
	return &l->m.msg_hdr;
}

static int connect_to(int fd, const struct dest *d)
{
	return connect(fd, &d->a.any, d->len);
}

static ssize_t send_to(int fd, const struct dest *d, int flags)
{
	return sendto(fd, "x", 1, flags, &d->a.any, d->len);
}

static int connect_waiting(int fd, const struct dest *d)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	int error = 0;
	socklen_t len = sizeof(error);

	if (connect_to(fd, d) == 0)
		return 0;
	if (errno != EINPROGRESS || poll(&p, 1, 2000) != 1)
		return -1;
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
	errno = error;
	return error ? -1 : 0;
}

static void tcp_paths(struct dest *d)
{
	int fd = make_socket(d, SOCK_STREAM), on = 1;
	struct letter l;

	say("connect", fd, connect_to(fd, d));
	fd = make_socket(d, SOCK_STREAM | SOCK_NONBLOCK);
	say("nonblocking", fd, connect_waiting(fd, d));
	fd = make_socket(d, SOCK_STREAM);
	say("fastopen-sendto", fd, send_to(fd, d, MSG_FASTOPEN));
	fd = make_socket(d, SOCK_STREAM);
	say("fastopen-sendmsg", fd, sendmsg(fd, write_letter(&l, d), MSG_FASTOPEN));
	fd = make_socket(d, SOCK_STREAM);
	write_letter(&l, d);
	say("fastopen-sendmmsg", fd, sendmmsg(fd, &l.m, 1, MSG_FASTOPEN));
	fd = make_socket(d, SOCK_STREAM);
	setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof(on));
	say("fastopen-connect", fd, connect_to(fd, d) < 0 ? -1 : write(fd, "x", 1));
	/* Without the flag TCP ignores an address. */
	fd = make_socket(d, SOCK_STREAM);
	say("stream-sendto", fd, send_to(fd, d, MSG_NOSIGNAL));
}

static void udp_paths(struct dest *d)
{
	int fd = make_socket(d, SOCK_DGRAM);
	struct letter l;

	say("udp-connect", fd, connect_to(fd, d) < 0 ? -1 : send(fd, "x", 1, 0));
	fd = make_socket(d, SOCK_DGRAM);
	say("udp-sendto", fd, send_to(fd, d, 0));
	fd = make_socket(d, SOCK_DGRAM);
	say("udp-sendmsg", fd, sendmsg(fd, write_letter(&l, d), 0));
	fd = make_socket(d, SOCK_DGRAM);
	write_letter(&l, d);
	say("udp-sendmmsg", fd, sendmmsg(fd, &l.m, 1, 0));
}

static int cmd_paths(char **v)
{
	struct dest d = destination(v[0], v[1]);

	tcp_paths(&d);
	udp_paths(&d);
	return 0;
}

static int bound_socket(const struct dest *to, const char *ip, int type)
{
	int fd = make_socket(to, type);
	char mapped[64];
	struct dest from;

	snprintf(mapped, sizeof(mapped), "%s%s",
		to->a.any.sa_family == AF_INET6 && !strchr(ip, ':') ? "::ffff:" : "", ip);
	from = destination(mapped, "0");
	if (bind(fd, &from.a.any, from.len) < 0)
		exit(3);
	return fd;
}

/* The kernel uses the source address as the destination. */
static ssize_t send_from(int fd, struct dest *d, const char *ip)
{
	struct in_pktinfo info = { 0 };
	struct letter l;

	inet_pton(AF_INET, ip, &info.ipi_spec_dst);
	write_letter(&l, d);
	return sendmsg(fd, add_control(&l, IPPROTO_IP, IP_PKTINFO, &info, sizeof(info)), 0);
}

static int cmd_zero(char **v)
{
	static const char *const zeros[] = { "0.0.0.0", "::ffff:0.0.0.0", "::" };

	for (size_t i = 0; i < sizeof(zeros) / sizeof(zeros[0]); i++) {
		struct dest d = destination(zeros[i], v[1]);
		int fd = bound_socket(&d, v[0], SOCK_STREAM);

		say("connect", fd, connect_to(fd, &d));
		fd = bound_socket(&d, v[0], SOCK_DGRAM);
		say("udp-connect", fd, connect_to(fd, &d) < 0 ? -1 : send(fd, "x", 1, 0));
		fd = bound_socket(&d, v[0], SOCK_DGRAM);
		say("udp-sendto", fd, send_to(fd, &d, 0));
	}
	struct dest zero = destination(zeros[0], v[1]);
	int fd = make_socket(&zero, SOCK_DGRAM);

	say("udp-source", fd, send_from(fd, &zero, v[0]));
	return 0;
}

static void option(int family, int level, int name, const void *p, socklen_t n, const char *what)
{
	int fd = socket(family, SOCK_STREAM, 0);

	say(what, fd, setsockopt(fd, level, name, p, n));
}

static void rider(struct dest *d, int level, int type, const void *p, size_t n, const char *what)
{
	int fd = make_socket(d, SOCK_DGRAM);
	struct letter l;

	write_letter(&l, d);
	say(what, fd, sendmsg(fd, add_control(&l, level, type, p, n), 0));
}

static int cmd_steer(char **v)
{
	struct dest d = destination(v[0], v[2]), d6 = destination(v[1], v[2]);
	const struct in_pktinfo info = { .ipi_ifindex = 1 };
	const struct in6_pktinfo info6 = { .ipi6_ifindex = 1 };
	/* Loose source routing over the address; a routing header of type 0. */
	unsigned char lsrr[12] = { 1, 131, 7, 4 }, header[24] = { 0, 2, 0, 1 };
	const int index = 1, index_net = (int)htonl(1);
	/* struct in6_flowlabel_req of linux/in6.h: get one, make it (A_GET, F_CREATE, S_ANY). */
	struct {
		struct in6_addr flr_dst;
		uint32_t label;
		uint8_t action, share;
		uint16_t flags, expires, linger;
		uint32_t pad;
	} label = { .share = 255, .flags = 1 };

	memcpy(lsrr + 4, &d.a.v4.sin_addr, 4);
	memcpy(header + 8, &d6.a.v6.sin6_addr, 16);
	option(AF_INET, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3, "SO_BINDTODEVICE");
	option(AF_INET, SOL_SOCKET, SO_BINDTOIFINDEX, &index, 4, "SO_BINDTOIFINDEX");
	option(AF_INET, IPPROTO_IP, IP_OPTIONS, lsrr, sizeof(lsrr), "IP_OPTIONS");
	option(AF_INET, IPPROTO_IP, 50 /* IP_UNICAST_IF */, &index_net, 4, "IP_UNICAST_IF");
	option(AF_INET6, IPPROTO_IPV6, 76 /* IPV6_UNICAST_IF */, &index_net, 4, "IPV6_UNICAST_IF");
	option(AF_INET6, IPPROTO_IPV6, IPV6_RTHDR, NULL, 0, "IPV6_RTHDR");
	option(AF_INET6, IPPROTO_IPV6, 5 /* IPV6_2292RTHDR */, &index, 4, "IPV6_2292RTHDR");
	option(AF_INET6, IPPROTO_IPV6, IPV6_PKTINFO, &info6, sizeof(info6), "IPV6_PKTINFO");
	label.flr_dst = d6.a.v6.sin6_addr;
	option(AF_INET6, IPPROTO_IPV6, 32 /* IPV6_FLOWLABEL_MGR */, &label, sizeof(label),
		"IPV6_FLOWLABEL_MGR");
	rider(&d, IPPROTO_IP, IP_PKTINFO, &info, sizeof(info), "with-IP_PKTINFO");
	rider(&d6, IPPROTO_IPV6, IPV6_PKTINFO, &info6, sizeof(info6), "with-IPV6_PKTINFO");
	rider(&d, IPPROTO_IP, IP_RETOPTS, lsrr, sizeof(lsrr), "with-IP_RETOPTS");
	rider(&d6, IPPROTO_IPV6, IPV6_RTHDR, header, sizeof(header), "with-IPV6_RTHDR");
	return 0;
}

static int cmd_unspec(char **v)
{
	struct dest good = destination(v[0], v[2]), bad = destination(v[1], v[2]), none = bad;
	int fd = make_socket(&good, SOCK_DGRAM), on = 1;

	none.a.any.sa_family = AF_UNSPEC;
	say("connect", -1, connect_to(fd, &good));
	say("send", -1, send(fd, "x", 1, 0));
	say("sendto-other", -1, send_to(fd, &bad, 0));
	say("sendto-unspec", -1, send_to(fd, &none, 0));
	say("connect-other", -1, connect_to(fd, &bad));
	say("send-again", -1, send(fd, "x", 1, 0));
	say("dissolve", -1, connect_to(fd, &none));
	say("send-nowhere", fd, send(fd, "x", 1, 0));
	/* An IPv4 socket reads AF_UNSPEC as AF_INET when it sends. */
	fd = make_socket(&good, SOCK_DGRAM);
	setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on));
	say("unspec", fd, send_to(fd, &none, 0));
	return 0;
}

struct form {
	atomic_int fd; /* -1: none */
	atomic_bool over;
};

static void *change_form(void *arg)
{
	const int v4 = AF_INET;
	struct form *f = arg;

	while (!f->over) {
		int fd = f->fd;

		if (fd >= 0)
			setsockopt(fd, IPPROTO_IPV6, IPV6_ADDRFORM, &v4, sizeof(v4));
	}
	return NULL;
}

/* For an IPv6 socket AF_UNSPEC is no destination; for an IPv4 socket it stands for AF_INET. */
static int cmd_form(char **v)
{
	struct dest good, none = destination(v[1], v[2]);
	struct form f = { .fd = -1 };
	char mapped[64];
	int n = atoi(v[3]), sent = 0;
	pthread_t t;

	snprintf(mapped, sizeof(mapped), "::ffff:%s", v[0]);
	good = destination(mapped, v[2]);
	none.a.any.sa_family = AF_UNSPEC;
	if (pthread_create(&t, NULL, change_form, &f) != 0)
		return 3;
	for (int i = 0; i < n; i++) {
		int fd = make_socket(&good, SOCK_DGRAM);

		if (connect_to(fd, &good) < 0)
			return 3;
		f.fd = fd;
		for (int k = 0; k < 4; k++)
			sent += send_to(fd, &none, 0) == 1;
		f.fd = -1;
		close(fd);
	}
	f.over = true;
	pthread_join(t, NULL);
	printf("sent %d of %d\n", sent, 4 * n);
	return 0;
}

static int cmd_families(char **v)
{
	static const struct {
		const char *name;
		int domain;
		int type;
		int protocol;
	} kinds[] = {
		{ "raw", AF_INET, SOCK_RAW, IPPROTO_UDP },
		{ "raw6", AF_INET6, SOCK_RAW, IPPROTO_ICMPV6 },
		{ "packet", AF_PACKET, SOCK_RAW, 0x0300 },
		{ "packet-dgram", AF_PACKET, SOCK_DGRAM, 0x0300 },
		{ "mptcp", AF_INET, SOCK_STREAM, 262 },
		{ "sctp", AF_INET, SOCK_STREAM, 132 },
		{ "sctp-many", AF_INET, SOCK_SEQPACKET, 132 },
		{ "udplite", AF_INET, SOCK_DGRAM, 136 },
		{ "dccp", AF_INET, 6, 33 },
		{ "vsock", AF_VSOCK, SOCK_STREAM, 0 },
	};
	char ring[256] = { 0 };

	(void)v;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int fd = socket(kinds[i].domain, kinds[i].type, kinds[i].protocol);

		say(kinds[i].name, fd, fd);
	}
	int fd = (int)syscall(SYS_io_uring_setup, 4, ring);

	say("io_uring", fd, fd);
	return 0;
}

static int cmd_groups(char **v)
{
	for (int i = 1; v[i]; i++) {
		struct dest d = destination(v[i], v[0]);
		int fd = make_socket(&d, SOCK_DGRAM), on = 1;

		setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on));
		say(v[i], fd, send_to(fd, &d, 0));
	}
	return 0;
}

static void use(int fd, const struct dest *d)
{
	int type = 0;
	socklen_t len = sizeof(type);

	getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len);
	if (type == SOCK_DGRAM)
		say("sendto", -1, send_to(fd, d, 0));
	say("connect", -1, connect_to(fd, d));
}

static int cmd_fd(char **v)
{
	struct dest d = destination(v[1], v[2]);

	use(atoi(v[0]), &d);
	return 0;
}

static struct sockaddr_un path_of(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	return a;
}

static int cmd_packets(char **v)
{
	struct sockaddr_un a = path_of(v[0]);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	say("packets", fd, connect(fd, (struct sockaddr *)&a, sizeof(a)));
	return 0;
}

#define GIVEN 2

static int cmd_give(char **v)
{
	const bool both = strcmp(v[1], "both") == 0;
	const int fds[GIVEN] = { socket(AF_INET, SOCK_STREAM, 0),
		socket(AF_INET, both ? SOCK_DGRAM : SOCK_STREAM, 0) };
	struct sockaddr_un a = path_of(v[0]);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), c;
	struct letter l;

	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 1) < 0)
		return 3;
	puts("up");
	c = accept(fd, NULL, NULL);
	write_letter(&l, NULL);
	say("given", c, sendmsg(c, add_control(&l, SOL_SOCKET, SCM_RIGHTS, fds, sizeof(fds)), 0));
	return 0;
}

static int cmd_taken(char **v)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), fds[GIVEN] = { -1, -1 };
	struct dest d = destination(v[1], v[2]);
	struct sockaddr_un a = path_of(v[0]);
	struct letter l;

	write_letter(&l, NULL);
	add_control(&l, SOL_SOCKET, SCM_RIGHTS, fds, sizeof(fds));
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || recvmsg(fd, &l.m.msg_hdr, 0) != 1)
		return 3;
	memcpy(fds, l.control + CMSG_LEN(0), sizeof(fds));
	for (int i = 0; i < GIVEN; i++)
		use(fds[i], &d);
	return 0;
}

static const struct probe_command commands[] = {
	{ "paths", 2, cmd_paths },
	{ "zero", 2, cmd_zero },
	{ "steer", 3, cmd_steer },
	{ "unspec", 3, cmd_unspec },
	{ "form", 4, cmd_form },
	{ "families", 0, cmd_families },
	{ "groups", -1, cmd_groups },
	{ "fd", 3, cmd_fd },
	{ "taken", 3, cmd_taken },
	{ "give", 2, cmd_give },
	{ "packets", 1, cmd_packets },
};

int main(int argc, char **argv)
{
	return run_command(commands, sizeof(commands) / sizeof(commands[0]), argc, argv);
}
