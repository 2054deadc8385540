/* SPDX-License-Identifier: Apache-2.0
 *
 * The shared network stack: raw and packet sockets, foreign families, UDP, and every road
 * to a TCP connection, connect(2) or not. The listener's own count is the verdict beside
 * the errno seen here.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/escape/attack.h"
#include "tests/escape/numbers.h"

static int net_socket(struct trial *t, char **args)
{
	(void)t;
	return got_fd(socket((int)arg_number(args[0]), (int)arg_number(args[1]) | SOCK_CLOEXEC,
		(int)arg_number(args[2])));
}

static int net_pair(struct trial *t, char **args)
{
	int pair[2];

	(void)t;
	return socketpair((int)arg_number(args[0]), (int)arg_number(args[1]), 0, pair);
}

/* The type's upper bits, which the kernel ignores or refuses, must not hide SOCK_RAW. */
static int net_socket_high(struct trial *t, char **args)
{
	long type = arg_number(args[1]) | (1L << 33);

	(void)t;
	return got_fd((int)syscall(
		SYS_socket, arg_number(args[0]) | (1L << 33), type, arg_number(args[2])));
}

struct target {
	struct sockaddr_storage addr;
	socklen_t len;
};

static void target_of(const char *host, const char *port, struct target *ret)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)&ret->addr;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&ret->addr;

	memset(ret, 0, sizeof(*ret));
	if (strchr(host, ':')) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons((unsigned short)arg_number(port));
		inet_pton(AF_INET6, host, &v6->sin6_addr);
		ret->len = sizeof(*v6);
		return;
	}
	v4->sin_family = AF_INET;
	v4->sin_port = htons((unsigned short)arg_number(port));
	inet_pton(AF_INET, host, &v4->sin_addr);
	ret->len = sizeof(*v4);
}

static int target_socket(struct trial *t, const struct target *to, int type, int protocol)
{
	int fd = socket(to->addr.ss_family, type | SOCK_CLOEXEC, protocol);

	return fd < 0 ? trial_fail(t, "socket") : fd;
}

static int net_connect(struct trial *t, char **args)
{
	struct target to;
	int fd;

	target_of(args[0], args[1], &to);
	fd = target_socket(t, &to, SOCK_STREAM, 0);
	return fd < 0 ? -1 : connect(fd, (struct sockaddr *)&to.addr, to.len);
}

static int net_connect_nonblocking(struct trial *t, char **args)
{
	struct target to;
	struct pollfd p;
	int fd;

	target_of(args[0], args[1], &to);
	fd = target_socket(t, &to, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	if (connect(fd, (struct sockaddr *)&to.addr, to.len) < 0 && errno != EINPROGRESS)
		return -1;
	p = (struct pollfd){ .fd = fd, .events = POLLOUT };
	return poll(&p, 1, 1000) == 1 ? 0 : trial_say(t, "stuck");
}

static int net_connect_protocol(struct trial *t, char **args)
{
	struct target to;
	int fd;

	target_of(args[0], args[1], &to);
	fd = target_socket(t, &to, SOCK_STREAM, (int)arg_number(args[2]));
	return fd < 0 ? -1 : connect(fd, (struct sockaddr *)&to.addr, to.len);
}

/* connect() returns at once and the first write goes out with the SYN. */
static int net_fastopen_connect(struct trial *t, char **args)
{
	struct target to;
	int on = 1, fd;

	target_of(args[0], args[1], &to);
	fd = target_socket(t, &to, SOCK_STREAM, 0);
	if (fd < 0)
		return -1;
	if (setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof(on)) < 0)
		return trial_fail(t, "setsockopt");
	if (connect(fd, (struct sockaddr *)&to.addr, to.len) < 0)
		return -1;
	return write(fd, "x", 1) == 1 ? 0 : trial_fail(t, "write");
}

static int net_fastopen_send(struct trial *t, char **args)
{
	struct target to;
	int fd;

	target_of(args[0], args[1], &to);
	fd = target_socket(t, &to, SOCK_STREAM, 0);
	if (fd < 0)
		return -1;
	return sendto(fd, "x", 1, MSG_FASTOPEN, (struct sockaddr *)&to.addr, to.len) == 1 ? 0 : -1;
}

static int net_fastopen_message(struct trial *t, char **args)
{
	struct target to;
	struct iovec iov = { (char[]){ 'x' }, 1 };
	struct mmsghdr m = { .msg_hdr = { .msg_iov = &iov, .msg_iovlen = 1 } };
	int fd;

	target_of(args[1], args[2], &to);
	m.msg_hdr.msg_name = &to.addr;
	m.msg_hdr.msg_namelen = to.len;
	fd = target_socket(t, &to, SOCK_STREAM, 0);
	if (fd < 0)
		return -1;
	if (strcmp(args[0], "sendmmsg") == 0)
		return sendmmsg(fd, &m, 1, MSG_FASTOPEN) == 1 ? 0 : -1;
	return sendmsg(fd, &m.msg_hdr, MSG_FASTOPEN) == 1 ? 0 : -1;
}

static int net_udp(struct trial *t, char **args)
{
	struct target to;
	int fd;

	target_of(args[0], args[1], &to);
	fd = target_socket(t, &to, SOCK_DGRAM, 0);
	if (fd < 0)
		return -1;
	return sendto(fd, "x", 1, 0, (struct sockaddr *)&to.addr, to.len) == 1 ? 0 : -1;
}

/* What servers need: bind and listen, and a connection of one's own is still refused. */
static int net_listen(struct trial *t, char **args)
{
	struct target to;
	int fd;

	target_of(args[0], "0", &to);
	fd = target_socket(t, &to, SOCK_STREAM, 0);
	if (fd < 0)
		return -1;
	if (bind(fd, (struct sockaddr *)&to.addr, to.len) < 0)
		return trial_fail(t, "bind");
	return listen(fd, 1);
}

static int net_abstract(struct trial *t, char **args)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int type = args[0][0] == 'd' ? SOCK_DGRAM : SOCK_STREAM;
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	size_t n = strlen(args[1]);
	socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);

	if (fd < 0)
		return trial_fail(t, "socket");
	memcpy(sun.sun_path + 1, args[1], n);
	if (args[0][0] == 'd')
		return sendto(fd, "x", 1, 0, (struct sockaddr *)&sun, len) == 1 ? 0 : -1;
	return connect(fd, (struct sockaddr *)&sun, len);
}

struct route_request {
	struct nlmsghdr head;
	struct rtmsg route;
	char attrs[64];
};

static void route_attr(struct route_request *r, unsigned short type, const void *data, size_t n)
{
	struct rtattr *a = (struct rtattr *)((char *)r + NLMSG_ALIGN(r->head.nlmsg_len));

	a->rta_type = type;
	a->rta_len = (unsigned short)RTA_LENGTH(n);
	memcpy(RTA_DATA(a), data, n);
	r->head.nlmsg_len = (unsigned int)(NLMSG_ALIGN(r->head.nlmsg_len) + RTA_ALIGN(a->rta_len));
}

/* Adds 192.0.2.0/24 (a documentation network) by way of the loopback interface. The
 * control arm says `private` and does so in a network namespace of its own. */
static int net_route(struct trial *t, char **args)
{
	struct route_request r = { 0 };
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
		char rest[512];
	} answer = { 0 };
	struct in_addr net;
	int index = 1, fd;

	if (strcmp(args[0], "private") == 0 && unshare(CLONE_NEWNET) < 0)
		return trial_fail(t, "unshare");
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (fd < 0)
		return trial_fail(t, "socket");
	r.head.nlmsg_len = NLMSG_LENGTH(sizeof(r.route));
	r.head.nlmsg_type = RTM_NEWROUTE;
	r.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE;
	r.route = (struct rtmsg){ .rtm_family = AF_INET,
		.rtm_dst_len = 24,
		.rtm_table = RT_TABLE_MAIN,
		.rtm_protocol = RTPROT_BOOT,
		.rtm_scope = RT_SCOPE_LINK,
		.rtm_type = RTN_BLACKHOLE };
	inet_pton(AF_INET, "192.0.2.0", &net);
	route_attr(&r, RTA_DST, &net, sizeof(net));
	if (strcmp(args[0], "interface") == 0)
		route_attr(&r, RTA_OIF, &index, sizeof(index));
	if (send(fd, &r, r.head.nlmsg_len, 0) < 0)
		return trial_fail(t, "send");
	if (recv(fd, &answer, sizeof(answer), 0) < (ssize_t)sizeof(answer.head))
		return trial_fail(t, "recv");
	if (answer.head.nlmsg_type == NLMSG_ERROR && answer.error.error) {
		errno = -answer.error.error;
		return -1;
	}
	return 0;
}

const struct attack attacks_net[] = {
	{ "socket", 3, net_socket },
	{ "socket-high", 3, net_socket_high },
	{ "socketpair", 2, net_pair },
	{ "connect", 2, net_connect },
	{ "connect-nonblocking", 2, net_connect_nonblocking },
	{ "connect-protocol", 3, net_connect_protocol },
	{ "fastopen-connect", 2, net_fastopen_connect },
	{ "fastopen-sendto", 2, net_fastopen_send },
	{ "fastopen-message", 3, net_fastopen_message },
	{ "udp", 2, net_udp },
	{ "listen", 1, net_listen },
	{ "abstract", 2, net_abstract },
	{ "route", 1, net_route },
	{ NULL, 0, NULL },
};
