/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/net/act/divert.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>

/* A connection on loopback arrives within the call, unless the machine is very busy. The caller can
 * also prevent that it ever arrives. */
#define ARRIVAL_MS 50

/* Connections of other processes that may be in the queue. */
#define STRANGERS_MAX 8

int divert_open(struct divert *d, bool v6)
{
	const struct sockaddr_in v4_addr = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const struct sockaddr_in6 v6_addr = { .sin6_family = AF_INET6,
		.sin6_addr = IN6ADDR_LOOPBACK_INIT };
	auto_fd int fd =
		socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	d->fd = -1;
	d->len = v6 ? sizeof(v6_addr) : sizeof(v4_addr);
	memcpy(&d->addr, v6 ? (const void *)&v6_addr : (const void *)&v4_addr, d->len);
	if (fd < 0)
		return v6 && errno == EAFNOSUPPORT ? 0 : -1;
	if (bind(fd, (const struct sockaddr *)&d->addr, d->len) < 0)
		return v6 && errno == EADDRNOTAVAIL ? 0 : -1;
	d->fd = take_fd(&fd);
	return 0;
}

static uint8_t state_of(int fd)
{
	uint8_t state = TCP_CLOSE;
	socklen_t len = sizeof(state);

	getsockopt(fd, IPPROTO_TCP, TCP_INFO, &state, &len);
	return state;
}

bool divert_has_begun(const struct mat_socket *s)
{
	return state_of(s->fd) != TCP_CLOSE;
}

/* Connects to port 0: it leads nowhere if the socket was closed meanwhile. */
int divert_again(const struct mat_socket *s)
{
	const struct sockaddr_in v4 = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
		.sin6_addr = IN6ADDR_LOOPBACK_INIT };

	return s->domain == AF_INET6 ? connect(s->fd, (const struct sockaddr *)&v6, sizeof(v6))
				     : connect(s->fd, (const struct sockaddr *)&v4, sizeof(v4));
}

/* Writes the address as a socket of the family needs it. */
static void write_for(int domain, const struct divert *d, uint16_t port, struct mat_addr *ret)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)&d->addr;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&ret->addr;

	*ret = (struct mat_addr){ .addr = d->addr, .len = d->len, .given = true, .near = true };
	if (domain == AF_INET6 && d->addr.ss_family == AF_INET) {
		*v6 = (struct sockaddr_in6){ .sin6_family = AF_INET6 };
		v6->sin6_addr.s6_addr[10] = v6->sin6_addr.s6_addr[11] = 0xff;
		memcpy(v6->sin6_addr.s6_addr + 12, &v4->sin_addr, sizeof(v4->sin_addr));
		ret->len = sizeof(*v6);
	}
	mat_set_port(ret, port);
}

static int own_name(int fd, struct mat_addr *ret)
{
	ret->len = sizeof(ret->addr);
	return getsockname(fd, (struct sockaddr *)&ret->addr, &ret->len);
}

/* A socket that is bound to a device does not reach loopback. A socket with TCP_FASTOPEN_CONNECT
 * would never arrive, because it sends nothing before there is data. */
static int prepare_caller(const struct mat_socket *s)
{
	const int off = 0;
	char device[16] = "";
	socklen_t len = sizeof(device);

	if (getsockopt(s->fd, SOL_SOCKET, SO_BINDTODEVICE, device, &len) < 0)
		return -1;
	if (len > 0 && device[0]) {
		errno = ENETUNREACH;
		return -1;
	}
	return setsockopt(s->fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &off, sizeof(off));
}

/* Compares the addresses and ports of both ends. Both ends are on this machine, so one pair of
 * addresses is one connection. */
static bool is_of_caller(int fd, const struct mat_socket *s)
{
	struct mat_addr mine = { 0 }, theirs = { 0 }, as_theirs;

	theirs.len = sizeof(theirs.addr);
	if (own_name(s->fd, &mine) < 0 ||
		getpeername(fd, (struct sockaddr *)&theirs.addr, &theirs.len) < 0)
		return false;
	if (mine.addr.ss_family == theirs.addr.ss_family)
		return mine.len == theirs.len && memcmp(&mine.addr, &theirs.addr, mine.len) == 0;
	write_for(s->domain, &(struct divert){ .addr = theirs.addr, .len = theirs.len },
		mat_port(&theirs), &as_theirs);
	return mine.len == as_theirs.len && memcmp(&mine.addr, &as_theirs.addr, mine.len) == 0;
}

static int accept_caller(const struct divert *d, const struct mat_socket *s)
{
	struct pollfd p = { .fd = d->fd, .events = POLLIN };

	for (int i = 0; i < STRANGERS_MAX; i++) {
		auto_fd int fd = accept4(d->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0 && poll(&p, 1, ARRIVAL_MS) == 1)
			fd = accept4(d->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0)
			break;
		if (is_of_caller(fd, s) && state_of(s->fd) == TCP_ESTABLISHED)
			return take_fd(&fd);
	}
	errno = ECONNREFUSED;
	return -1;
}

/* A blocking caller must find its socket connected, not connecting. */
static int begin_arrival(const struct mat_socket *s, const struct mat_addr *to)
{
	int rc = mat_nonblocking(s) ? connect(s->fd, (const struct sockaddr *)&to->addr, to->len)
				    : guard_connect_near(s->fd, to);

	return rc < 0 && (errno == EINPROGRESS || errno == EINTR || errno == EALREADY) ? 0 : rc;
}

/* Listens on a port that the kernel chooses until the caller has arrived. shutdown(2) ends the
 * listening and releases the port. */
static int receive_caller(const struct divert *d, const struct mat_socket *s)
{
	struct mat_addr name = { .len = sizeof(name.addr) }, to;
	int fd = -1, saved;

	if (listen(d->fd, STRANGERS_MAX) < 0)
		return -1;
	if (own_name(d->fd, &name) == 0) {
		write_for(s->domain, d, mat_port(&name), &to);
		if (begin_arrival(s, &to) == 0)
			fd = accept_caller(d, s);
	}
	saved = errno;
	shutdown(d->fd, SHUT_RDWR);
	errno = saved;
	return fd;
}

int divert_connect(const struct divert *d, const struct mat_socket *s)
{
	const struct sockaddr none = { .sa_family = AF_UNSPEC };
	int fd, saved;

	if (d->fd < 0) {
		errno = ECONNREFUSED;
		return -1;
	}
	if (prepare_caller(s) < 0)
		return -1;
	fd = receive_caller(d, s);
	saved = errno;
	if (fd < 0)
		(void)connect(s->fd, &none, sizeof(none));
	errno = saved;
	return fd;
}
