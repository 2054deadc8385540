/* SPDX-License-Identifier: Apache-2.0
 *
 * accept(2) where ports are replaced: the port of a client in the pod is the one that the
 * container knows. As long as no client has a replaced port the kernel answers.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/syscall.h>

#include "runtime/net/internal.h"

/* Another thread may take what poll(2) has seen, so the call itself is short. */
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
	/* Somebody took the bound away, and ours ended it. */
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

/* What the kernel has to say of others is an error. */
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

	/* Without a look the kernel gives its own answer, or its own error. */
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
