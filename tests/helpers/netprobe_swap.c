/* SPDX-License-Identifier: Apache-2.0
 *
 * Attacks on rules: the arguments of a call change while the call is judged, or are written in
 * another form.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/helpers/netprobe.h"

static atomic_bool over;

struct flip {
	volatile uint32_t *where;
	uint32_t values[2];
};

static void *flip(void *arg)
{
	struct flip *f = arg;

	for (unsigned int i = 0; !over; i++)
		*f->where = f->values[i & 1];
	return NULL;
}

int cmd_swap(char **v)
{
	struct sockaddr_in a = address(v[0], v[2]), bad = address(v[1], v[2]);
	struct flip f = { (volatile uint32_t *)&a.sin_addr.s_addr,
		{ a.sin_addr.s_addr, bad.sin_addr.s_addr } };
	const double end = clock_us() + atof(v[3]) * 1e6;
	int good = 0, refused = 0;
	pthread_t t;

	pthread_create(&t, NULL, flip, &f);
	while (clock_us() < end) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);
		int rc = connect(fd, (struct sockaddr *)&a, sizeof(a));

		good += rc == 0;
		refused += rc < 0 && errno == ECONNREFUSED;
		drop(fd);
	}
	over = true;
	pthread_join(t, NULL);
	printf("good %d refused %d\n", good, refused);
	return 0;
}

#define SEGMENT  100
#define SEGMENTS 3

/* udp(7), UDP_SEGMENT: sends three datagrams with one call. Returns 1 when all was sent. */
static int send_segments(int fd, struct msghdr *h)
{
	_Alignas(struct cmsghdr) unsigned char control[CMSG_SPACE(sizeof(uint16_t))] = { 0 };
	const struct cmsghdr head = {
		.cmsg_len = CMSG_LEN(sizeof(uint16_t)), .cmsg_level = IPPROTO_UDP, .cmsg_type = 103
	};
	const uint16_t size = SEGMENT;
	static char bytes[SEGMENT * SEGMENTS];
	struct iovec iov = { bytes, sizeof(bytes) };
	ssize_t rc;

	memcpy(control, &head, sizeof(head));
	memcpy(control + CMSG_LEN(0), &size, sizeof(size));
	h->msg_iov = &iov;
	h->msg_control = control;
	h->msg_controllen = sizeof(control);
	rc = sendmsg(fd, h, 0);
	return rc == (ssize_t)sizeof(bytes) ? 1 : (int)rc;
}

static int send_kind(const char *kind, int fd, struct sockaddr_in *a)
{
	char byte = 'x';
	struct iovec iov = { &byte, 1 };
	struct mmsghdr m = { .msg_hdr = { .msg_name = a,
				     .msg_namelen = sizeof(*a),
				     .msg_iov = &iov,
				     .msg_iovlen = 1 } };

	if (strcmp(kind, "segments") == 0)
		return send_segments(fd, &m.msg_hdr);
	if (strcmp(kind, "sendto") == 0)
		return (int)sendto(fd, &byte, 1, 0, (struct sockaddr *)a, sizeof(*a));
	if (strcmp(kind, "sendmsg") == 0)
		return (int)sendmsg(fd, &m.msg_hdr, 0);
	return sendmmsg(fd, &m, 1, 0);
}

int cmd_swapsend(char **v)
{
	struct sockaddr_in a = address(v[1], v[3]), bad = address(v[2], v[3]);
	struct flip f = { (volatile uint32_t *)&a.sin_addr.s_addr,
		{ a.sin_addr.s_addr, bad.sin_addr.s_addr } };
	const double end = clock_us() + atof(v[4]) * 1e6;
	int good = 0, refused = 0, fd = socket(AF_INET, SOCK_DGRAM, 0);
	pthread_t t;

	pthread_create(&t, NULL, flip, &f);
	while (clock_us() < end) {
		int rc = send_kind(v[0], fd, &a);

		good += rc == 1;
		refused += rc < 0 && errno == ECONNREFUSED;
	}
	over = true;
	pthread_join(t, NULL);
	printf("good %d refused %d\n", good, refused);
	return 0;
}

struct fds {
	int slot;
	int unix_fd;
	int udp_fd;
};

static void *flip_fd(void *arg)
{
	struct fds *f = arg;

	for (unsigned int i = 0; !over; i++)
		dup2(i & 1 ? f->udp_fd : f->unix_fd, f->slot);
	return NULL;
}

int cmd_swapfd(char **v)
{
	struct sockaddr_in bad = address(v[1], v[2]);
	struct fds f = { 100, socket(AF_UNIX, SOCK_DGRAM, 0), socket(AF_INET, SOCK_DGRAM, 0) };
	int n = atoi(v[3]), connected = 0;
	bool process = strcmp(v[0], "process") == 0;
	pid_t child = 0;
	pthread_t t;

	dup2(f.unix_fd, f.slot);
	if (process) {
		child = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
		if (child == 0)
			flip_fd(&f);
		if (child < 0)
			return 1;
	} else {
		pthread_create(&t, NULL, flip_fd, &f);
	}
	for (int i = 0; i < n; i++) {
		struct sockaddr_in peer;
		socklen_t len = sizeof(peer);

		/* Uses an internet address on a descriptor that looks like a unix socket. */
		connect(f.slot, (struct sockaddr *)&bad, sizeof(bad));
		if (getpeername(f.udp_fd, (struct sockaddr *)&peer, &len) == 0) {
			connected++;
			send(f.udp_fd, "x", 1, 0);
		}
	}
	over = true;
	if (process) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	} else {
		pthread_join(t, NULL);
	}
	printf("connected %d of %d\n", connected, n);
	return 0;
}

int cmd_mmsg(char **v)
{
	struct sockaddr_in a[3] = { address(v[0], v[2]), address(v[1], v[2]), address(v[0], v[2]) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), rc;
	char byte = 'x';
	struct iovec iov = { &byte, 1 };
	struct mmsghdr m[3] = { 0 };

	for (int i = 0; i < 3; i++)
		m[i].msg_hdr = (struct msghdr){ .msg_name = &a[i],
			.msg_namelen = sizeof(a[i]),
			.msg_iov = &iov,
			.msg_iovlen = 1 };
	rc = sendmmsg(fd, m, 3, 0);
	printf("sent %d first %u\n", rc, m[0].msg_len);
	rc = sendmmsg(fd, m + 1, 2, 0);
	printf("bad first %s\n", result(rc));
	return 0;
}

int cmd_unspec(char **v)
{
	struct sockaddr_in good = address(v[0], v[2]), bad = address(v[1], v[2]);
	struct sockaddr none = { .sa_family = AF_UNSPEC };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	printf("%s", result(connect(fd, (struct sockaddr *)&good, sizeof(good))));
	printf(" %s", result(connect(fd, &none, sizeof(none))));
	printf(" %s", result(connect(fd, (struct sockaddr *)&bad, sizeof(bad))));
	printf(" %s\n", result(connect(fd, (struct sockaddr *)&good, sizeof(good))));
	return 0;
}

static void try_option(int fd, int level, int name, const void *p, socklen_t n, const char *what)
{
	printf("%s %s\n", what, result(setsockopt(fd, level, name, p, n)));
}

int cmd_options(char **v)
{
	/* Loose source routing over the address. */
	unsigned char lsrr[12] = { 1, 131, 7, 4 };
	struct sockaddr_in bad = address(v[0], v[1]);
	struct sockaddr_in6 mapped = { .sin6_family = AF_INET6, .sin6_port = bad.sin_port };
	int fd = socket(AF_INET, SOCK_STREAM, 0), fd6 = socket(AF_INET6, SOCK_STREAM, 0);
	int on = 1;

	memcpy(lsrr + 4, &bad.sin_addr, 4);
	try_option(fd, IPPROTO_IP, IP_OPTIONS, lsrr, sizeof(lsrr), "IP_OPTIONS");
	try_option(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3, "SO_BINDTODEVICE");
	close(fd);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	printf("fastopen %s\n", result((int)sendto(fd, "x", 1, MSG_FASTOPEN,
					(struct sockaddr *)&bad, sizeof(bad))));
	close(fd);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	try_option(fd, IPPROTO_TCP, 30 /* TCP_FASTOPEN_CONNECT */, &on, sizeof(on), "deferred");
	printf("connect %s\n", result(connect(fd, (struct sockaddr *)&bad, sizeof(bad))));
	mapped.sin6_addr.s6_addr[10] = mapped.sin6_addr.s6_addr[11] = 0xff;
	memcpy(mapped.sin6_addr.s6_addr + 12, &bad.sin_addr, 4);
	close(fd);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	printf("mapped %s\n", result(connect(fd6, (struct sockaddr *)&mapped, sizeof(mapped))));
	bad.sin_addr.s_addr = 0;
	printf("zero %s\n", result(connect(fd, (struct sockaddr *)&bad, sizeof(bad))));
	memset(&mapped.sin6_addr, 0, sizeof(mapped.sin6_addr));
	close(fd6);
	fd6 = socket(AF_INET6, SOCK_STREAM, 0);
	printf("zero6 %s\n", result(connect(fd6, (struct sockaddr *)&mapped, sizeof(mapped))));
	printf("short %s\n", result(connect(fd, (struct sockaddr *)&bad, 8)));
	printf("long %s\n", result(connect(fd, (struct sockaddr *)&bad, 4096)));
	printf("fault %s\n", result(connect(fd, (struct sockaddr *)8, sizeof(bad))));
	printf("badfd %s\n", result(connect(999, (struct sockaddr *)&bad, sizeof(bad))));
	printf("notsock %s\n", result(connect(0, (struct sockaddr *)&bad, sizeof(bad))));
	return 0;
}

static void *connect_always(void *arg)
{
	for (;;)
		connect_once(arg);
	return NULL;
}

int cmd_exitrace(char **v)
{
	struct sockaddr_in a[3] = { address(v[0], v[3]), address(v[1], v[3]), address(v[2], v[3]) };
	int n = atoi(v[4]), ended = 0;

	for (int i = 0; i < n; i++) {
		pid_t child = fork();
		int status = -1;

		if (child == 0) {
			pthread_t t;

			for (int k = 0; k < 8; k++)
				pthread_create(&t, NULL, connect_always, &a[k % 3]);
			usleep((useconds_t)(i * 37 % 5000));
			if (i % 3 == 0)
				raise(SIGKILL);
			_exit(0);
		}
		ended += waitpid(child, &status, 0) == child;
	}
	printf("ended %d of %d\n", ended, n);
	return 0;
}

/* The destination's kernel answers an echo, so the source of the answer shows which host was
 * reached. */
int cmd_swapping(char **v)
{
	struct sockaddr_in a = address(v[0], "0"), bad = address(v[1], "0"), from;
	struct flip f = { (volatile uint32_t *)&a.sin_addr.s_addr,
		{ a.sin_addr.s_addr, bad.sin_addr.s_addr } };
	const double end = clock_us() + atof(v[2]) * 1e6;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, IPPROTO_ICMP);
	int good = 0, other = 0, refused = 0;
	unsigned char echo[16] = { 8 }, back[64];
	pthread_t t;

	pthread_create(&t, NULL, flip, &f);
	while (clock_us() < end) {
		socklen_t len = sizeof(from);
		int rc = (int)sendto(fd, echo, sizeof(echo), 0, (struct sockaddr *)&a, sizeof(a));

		refused += rc < 0 && errno == ECONNREFUSED;
		while (recvfrom(fd, back, sizeof(back), 0, (struct sockaddr *)&from, &len) > 0)
			*(from.sin_addr.s_addr == bad.sin_addr.s_addr ? &other : &good) += 1;
	}
	over = true;
	pthread_join(t, NULL);
	printf("good %d other %d refused %d\n", good, other, refused);
	return 0;
}
