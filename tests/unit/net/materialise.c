/* SPDX-License-Identifier: Apache-2.0
 *
 * The arguments of a trapped caller as values of our own: what is copied, what is cut, and which
 * errno the caller gets for what the kernel would not take either.
 */
#include "runtime/net/act/materialise.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "tests/unit/notif/trap.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

#define PAYLOAD "payload"
#define ROOM    ((size_t)2 << 20)

/* What the child has at the same address as we: it is a fork. */
static struct {
	struct msghdr msg;
	struct iovec iov[MAT_IOV_MAX + 1];
	struct sockaddr_in to;
	_Alignas(struct cmsghdr) char control[MAT_CONTROL_MAX + 1];
	char *data;
} theirs;

/* The socket's descriptor in the child, which has inherited it. */
static int sock_fd;

static void wait_trapped(struct trap_shared *s)
{
	s->result = syscall(SYS_uname, &theirs);
}

/* A child that waits in a call, with the memory and descriptors of now. */
static struct notif_call caller(struct trap *t)
{
	return trap_caller(t, wait_trapped);
}

static uint64_t at(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static void addresses(void)
{
	struct trap t;
	struct notif_call c;
	struct mat_addr a;

	theirs.to = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(80) };
	c = caller(&t);
	CHECK(mat_address(&c, at(&theirs.to), sizeof(theirs.to), &a) == 0);
	CHECK(a.given && a.len == sizeof(theirs.to) && mat_port(&a) == 80);
	mat_set_port(&a, 81);
	CHECK(mat_port(&a) == 81);
	CHECK(mat_address(&c, 0, 0, &a) == 0 && a.given && a.len == 0);
	CHECK(mat_address(&c, 0, 4, &a) == -1 && errno == EFAULT);
	CHECK(mat_address(&c, at(&theirs.to), sizeof(a.addr) + 1, &a) == -1 && errno == EINVAL);
	/* The length is an int for the kernel: a negative one, and one whose upper half is dropped.
	 */
	CHECK(mat_address(&c, at(&theirs.to), UINT32_MAX, &a) == -1 && errno == EINVAL);
	CHECK(mat_address(&c, at(&theirs.to), (1ULL << 32) + sizeof(theirs.to), &a) == 0);
	trap_end(&t);
}

static void sockets(void)
{
	struct trap t;
	struct notif_call c;
	struct mat_socket s;

	sock_fd = socket(AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	c = caller(&t);
	CHECK(mat_socket_open(&c, sock_fd, &s) == 0);
	CHECK(s.domain == AF_INET6 && s.type == SOCK_DGRAM && s.protocol == IPPROTO_UDP &&
		mat_nonblocking(&s) && s.fd != sock_fd);
	mat_socket_close(&s);
	CHECK(s.fd == -1);
	CHECK(mat_socket_open(&c, 999, &s) == -1 && errno == EBADF);
	CHECK(mat_socket_open(&c, 1, &s) == -1 && errno == ENOTSOCK);
	close(sock_fd);
	trap_end(&t);
}

/* sendmsg(2) of `theirs` on a socket of the kind. Returns what reading it gives. */
static int message(int domain, int type, struct mat_message *ret)
{
	static struct brief closer; /* the notifications' own ends with them, before the message */
	struct trap t;
	struct notif_call c;
	struct mat_socket s;
	int rc, saved;

	sock_fd = socket(domain, type | SOCK_CLOEXEC, 0);
	c = caller(&t);
	CHECK(mat_socket_open(&c, sock_fd, &s) == 0);
	rc = mat_message(&c, &s, at(&theirs.msg), MSG_NOSIGNAL, ret);
	saved = errno;
	if (rc == 0)
		ret->closer = &closer;
	mat_socket_close(&s);
	close(sock_fd);
	trap_end(&t);
	errno = saved;
	return rc;
}

static void describe(size_t n_iov, size_t each)
{
	memset(&theirs.msg, 0, sizeof(theirs.msg));
	for (size_t i = 0; i < n_iov && i <= MAT_IOV_MAX; i++)
		theirs.iov[i] = (struct iovec){ theirs.data + i * each, each };
	theirs.msg.msg_iov = theirs.iov;
	theirs.msg.msg_iovlen = n_iov;
}

static void payloads(void)
{
	struct mat_message m;

	memcpy(theirs.data, PAYLOAD, sizeof(PAYLOAD));
	describe(2, 4);
	CHECK(message(AF_INET, SOCK_DGRAM, &m) == 0);
	CHECK(m.len == 8 && memcmp(m.data, PAYLOAD, 8) == 0 && m.flags == MSG_NOSIGNAL &&
		!m.name.given && m.control_len == 0);
	mat_message_free(&m);
	describe(0, 0);
	CHECK(message(AF_INET, SOCK_DGRAM, &m) == 0 && m.len == 0);
	mat_message_free(&m);
	describe(2, MAT_DATAGRAM_MAX);
	CHECK(message(AF_INET, SOCK_DGRAM, &m) == -1 && errno == EMSGSIZE);
	describe(2, MAT_STREAM_MAX);
	CHECK(message(AF_INET, SOCK_STREAM, &m) == 0 && m.len == MAT_STREAM_MAX); /* cut short */
	mat_message_free(&m);
	describe(1, SIZE_MAX);
	CHECK(message(AF_INET, SOCK_DGRAM, &m) == -1 && errno == EMSGSIZE);
	describe(MAT_IOV_MAX + 1, 1);
	CHECK(message(AF_INET, SOCK_DGRAM, &m) == -1 && errno == EMSGSIZE);
	describe(1, 8);
	theirs.iov[0].iov_base = NULL;
	CHECK(message(AF_INET, SOCK_DGRAM, &m) == -1 && errno == EFAULT);
	theirs.msg.msg_iov = NULL;
	CHECK(message(AF_INET, SOCK_DGRAM, &m) == -1 && errno == EFAULT);
}

static void names(void)
{
	struct mat_message m;

	describe(1, 1);
	theirs.msg.msg_name = &theirs.to;
	theirs.msg.msg_namelen = sizeof(theirs.to);
	CHECK(message(AF_INET, SOCK_DGRAM, &m) == 0 && m.name.given && mat_port(&m.name) == 80);
	mat_message_free(&m);
	/* As ___sys_sendmsg() has it: a longer name is cut, a negative length is EINVAL. */
	theirs.msg.msg_namelen = 4096;
	CHECK(message(AF_INET, SOCK_DGRAM, &m) == 0 &&
		m.name.len == sizeof(struct sockaddr_storage));
	mat_message_free(&m);
	theirs.msg.msg_namelen = UINT32_MAX;
	CHECK(message(AF_INET, SOCK_DGRAM, &m) == -1 && errno == EINVAL);
	theirs.msg.msg_namelen = 0;
	CHECK(message(AF_INET, SOCK_DGRAM, &m) == 0 && !m.name.given);
	mat_message_free(&m);
}

static void put_control(int level, int type, size_t len)
{
	struct cmsghdr *h = (struct cmsghdr *)theirs.control;

	describe(1, 1);
	memset(theirs.control, 0, sizeof(theirs.control));
	h->cmsg_level = level;
	h->cmsg_type = type;
	h->cmsg_len = len;
	theirs.msg.msg_control = theirs.control;
	theirs.msg.msg_controllen = CMSG_SPACE(sizeof(int));
}

static void control(void)
{
	struct mat_message m;
	int fd = 1;

	put_control(IPPROTO_UDP, UDP_SEGMENT, CMSG_LEN(2));
	CHECK(message(AF_INET, SOCK_DGRAM, &m) == 0 && m.control_len == CMSG_SPACE(sizeof(int)));
	mat_message_free(&m);
	/* Options that lead packets elsewhere do not pass. */
	put_control(IPPROTO_IP, IP_RETOPTS, CMSG_LEN(4));
	CHECK(message(AF_INET, SOCK_DGRAM, &m) == -1 && errno == EPERM);
	put_control(IPPROTO_IPV6, IPV6_RTHDR, CMSG_LEN(4));
	CHECK(message(AF_INET6, SOCK_DGRAM, &m) == -1 && errno == EPERM);
	/* Lengths that lie. */
	put_control(IPPROTO_IP, IP_TTL, 0);
	CHECK(message(AF_INET, SOCK_DGRAM, &m) == -1 && errno == EINVAL);
	put_control(IPPROTO_IP, IP_TTL, SIZE_MAX);
	CHECK(message(AF_INET, SOCK_DGRAM, &m) == -1 && errno == EINVAL);
	put_control(IPPROTO_IP, IP_TTL, CMSG_LEN(4));
	theirs.msg.msg_controllen = MAT_CONTROL_MAX + 1;
	CHECK(message(AF_INET, SOCK_DGRAM, &m) == -1 && errno == ENOBUFS);
	/* A descriptor becomes ours, and is closed with the message. */
	put_control(SOL_SOCKET, SCM_RIGHTS, CMSG_LEN(sizeof(fd)));
	memcpy(CMSG_DATA((struct cmsghdr *)theirs.control), &fd, sizeof(fd));
	CHECK(message(AF_UNIX, SOCK_STREAM, &m) == 0 && m.n_fds == 1 && m.fds[0] != fd);
	fd = m.n_fds ? m.fds[0] : -1;
	mat_message_free(&m);
	CHECK(fcntl(fd, F_GETFD) == -1 && errno == EBADF);
	fd = 999;
	put_control(SOL_SOCKET, SCM_RIGHTS, CMSG_LEN(sizeof(fd)));
	memcpy(CMSG_DATA((struct cmsghdr *)theirs.control), &fd, sizeof(fd));
	CHECK(message(AF_UNIX, SOCK_STREAM, &m) == -1 && errno == EBADF);
}

static void destinations(void)
{
	const struct mat_socket tcp = {
		.domain = AF_INET, .type = SOCK_STREAM, .protocol = IPPROTO_TCP
	};
	const struct mat_socket udp = {
		.domain = AF_INET, .type = SOCK_DGRAM, .protocol = IPPROTO_UDP
	};
	struct mat_addr a = { .len = sizeof(struct sockaddr_in), .given = true };
	struct sockaddr_in *sin = (struct sockaddr_in *)&a.addr;
	struct net_dest d;
	bool none;

	sin->sin_family = AF_INET;
	CHECK(mat_destination(&tcp, &a, false, &d, &none) == 0 && !none);
	/* No address is loopback, and is written down, so that no later bind changes it. */
	CHECK(d.addr == INADDR_LOOPBACK && sin->sin_addr.s_addr == htonl(INADDR_LOOPBACK));
	a.len = 1;
	CHECK(mat_destination(&tcp, &a, false, &d, &none) == -1 && errno == EINVAL);
	a.len = sizeof(*sin) - 1;
	CHECK(mat_destination(&tcp, &a, false, &d, &none) == -1 && errno == EINVAL);
	a.len = sizeof(*sin);
	sin->sin_family = AF_APPLETALK;
	CHECK(mat_destination(&tcp, &a, false, &d, &none) == -1 && errno == EAFNOSUPPORT);
	sin->sin_family = AF_UNSPEC;
	CHECK(mat_destination(&tcp, &a, false, &d, &none) == 0 && none);
	/* udp_sendmsg() takes it for AF_INET. */
	CHECK(mat_destination(&udp, &a, true, &d, &none) == 0 && !none && d.proto == NET_UDP);
}

int main(void)
{
	theirs.data = calloc(1, ROOM);
	CHECK(theirs.data != NULL);
	addresses();
	sockets();
	payloads();
	names();
	control();
	destinations();
	free(theirs.data);
	return check_done();
}
