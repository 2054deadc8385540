/* SPDX-License-Identifier: Apache-2.0
 *
 * listen(2) where the ports that may be bound are limited. The kernel gives a port to a socket that
 * has none, as bind(2) with port 0 does, and the list may not permit this port. The supervisor
 * calls listen(2) on a duplicate of the socket, also for a unix socket, so that no other thread,
 * and no process that shares the descriptor table (CLONE_FILES), can exchange the socket.
 */
#include <netinet/in.h>

#include "runtime/net/internal.h"

/* The port as the container knows it; 0: the socket has none yet. Returns 0, or -1 with errno. */
static int port_of(const struct net *n, const struct mat_socket *s, struct net_dest *ret)
{
	struct mat_addr a = { .len = sizeof(a.addr) };
	struct net_dest d = { .proto = NET_TCP, .v6 = s->domain == AF_INET6 };

	if (getsockname(s->fd, (struct sockaddr *)&a.addr, &a.len) < 0)
		return -1;
	d.port = mat_port(&a);
	if (d.port != 0 && n->space.list.items)
		d.port = space_name(&n->space, NET_TCP, d.port);
	*ret = d;
	return 0;
}

static bool may_have(const struct net *n, const struct net_dest *d)
{
	return bind_is_listed(n, d->port) || (d->port != 0 && n->bind_any_free);
}

static int refuse_listen(struct net *n, const struct notif_call *c, const struct net_dest *d)
{
	audit_denial(n, c, d, &(struct net_answer){ .reason = NET_BY_BIND_LIST });
	errno = EACCES;
	return -1;
}

static int listen_inet(struct net *n, const struct notif_call *c, const struct mat_socket *s)
{
	struct net_dest d;

	if (s->type != SOCK_STREAM)
		return listen(s->fd, (int)(int32_t)c->args[1]);
	if (port_of(n, s, &d) < 0)
		return -1;
	if (!may_have(n, &d))
		return refuse_listen(n, c, &d);
	if (listen(s->fd, (int)(int32_t)c->args[1]) < 0)
		return -1;
	if (d.port != 0 || (port_of(n, s, &d) == 0 && may_have(n, &d)))
		return 0;
	/* The kernel has chosen a port that the list does not permit. */
	shutdown(s->fd, SHUT_RD);
	errno = EADDRINUSE;
	return -1;
}

void net_on_listen(const struct notif_call *c, struct notif_verdict *v, void *net)
{
	struct net *n = net;
	struct mat_socket s;
	int rc;

	if (mat_socket_open(c, (int)(uint32_t)c->args[0], &s) < 0) {
		notif_deny(v, errno);
		return;
	}
	rc = s.domain == AF_INET || s.domain == AF_INET6
		     ? listen_inet(n, c, &s)
		     : unix_listen(c, s.fd, (int)(int32_t)c->args[1]);
	notif_result(v, rc);
	mat_socket_close(&s);
}
