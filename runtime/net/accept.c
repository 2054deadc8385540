/* SPDX-License-Identifier: Apache-2.0
 *
 * accept(2) where ports are replaced. When a client of the same pod has a replaced port, the
 * container is told the port that the client asked for. The kernel answers as long as no client has
 * a replaced port.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/syscall.h>

#include "runtime/net/internal.h"

/* The call has a short timeout, because another thread may take the connection that poll(2) saw. */
static int accept_one(const struct mat_socket *s, struct mat_addr *ret_from)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	struct timeval bound;
	int fd;

	if (poll(&p, 1, 0) == 0) {
		errno = EAGAIN;
		return -1;
	}
	if (guard_shorten(s->fd, SO_RCVTIMEO, &bound) < 0)
		return -1;
	ret_from->len = sizeof(ret_from->addr);
	ret_from->given = true;
	fd = accept4(s->fd, (struct sockaddr *)&ret_from->addr, &ret_from->len, SOCK_CLOEXEC);
	guard_restore(s->fd, SO_RCVTIMEO, &bound);
	/* Another thread removed the timeout, and the supervisor's guard interrupted the call. */
	if (fd < 0 && errno == EINTR)
		errno = EAGAIN;
	return fd;
}

static bool try_accept(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	struct notif_verdict *v)
{
	const int flags = c->nr == SYS_accept4 ? (int)c->args[3] : 0;
	struct mat_addr from;
	auto_fd int fd = -1;

	if (flags & ~(SOCK_CLOEXEC | SOCK_NONBLOCK)) {
		notif_deny(v, EINVAL);
		return true;
	}
	fd = accept_one(s, &from);
	if (fd < 0 && errno == EAGAIN)
		return false;
	if (fd >= 0)
		names_translate(n, s, &from);
	if (fd < 0 || ((flags & SOCK_NONBLOCK) && fcntl(fd, F_SETFL, O_NONBLOCK) < 0) ||
		names_write(c, c->args[1], c->args[2], &from) < 0)
		notif_deny(v, errno);
	else
		notif_give(v, &fd, flags & SOCK_CLOEXEC);
	return true;
}

/* The kernel reports an error for every socket that does not listen. */
static bool is_listening(const struct mat_socket *s)
{
	int on = 0;
	socklen_t len = sizeof(on);

	return getsockopt(s->fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &len) == 0 && on;
}

void net_on_accept(const struct notif_call *c, struct notif_verdict *v, void *net)
{
	struct net *n = net;
	struct mat_socket s;
	enum net_proto proto;

	/* If the supervisor cannot look at the socket, the kernel gives its own answer or error. */
	if (mat_socket_open(c, (int)(uint32_t)c->args[0], &s) < 0) {
		notif_continue(v, NOTIF_ONLY_ANSWERS);
		return;
	}
	if (mat_protocol(&s, &proto) < 0 || !is_listening(&s) || !space_has_clients(&n->space))
		notif_continue(v, NOTIF_ONLY_ANSWERS);
	else if (try_accept(n, c, &s, v))
		;
	else if (mat_nonblocking(&s))
		notif_deny(v, EAGAIN);
	else
		park_receive(&n->park, c, v, &s, try_accept);
	mat_socket_close(&s);
}
