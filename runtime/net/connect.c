/* SPDX-License-Identifier: Apache-2.0
 *
 * connect(2): the supervisor decides about the destination, then connects a duplicate of the
 * caller's socket with its own copy of the address. It connects a unix socket with the caller's
 * identity.
 *
 * clone(2) is here because a shared descriptor table limits which calls may continue in the kernel.
 */
#include <netinet/in.h>

#include "runtime/net/internal.h"

static bool goes_on(int error)
{
	return error == EINTR || error == EALREADY || error == EINPROGRESS;
}

/* Whether the connection goes to the HTTP proxy. *ret is the destination as the caller named it. */
static bool is_intercepted(const struct net *n, const struct mat_socket *s,
	const struct mat_addr *addr, struct net_dest *ret)
{
	struct mat_addr copy = *addr;
	bool none;

	return n->intercept.of && s->type == SOCK_STREAM &&
	       mat_destination(s, &copy, false, ret, &none) == 0 && !none &&
	       intercept_has_port(n, ret->port);
}

/* Repeats the whole call, because the holder of the port may have changed. */
static bool connect_again(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	struct notif_verdict *v)
{
	struct mat_addr addr;
	struct net_dest dest;
	bool intercepted;
	int rc;

	if (mat_address(c, c->args[1], c->args[2], &addr) < 0) {
		notif_deny(v, errno);
		return true;
	}
	intercepted = is_intercepted(n, s, &addr, &dest); /* the judgement changes the address */
	if (!judge_may_reach(n, c, s, &addr, v))
		return true;
	if (!addr.held || intercepted) { /* the caller has put another address there */
		notif_deny(v, ECONNREFUSED);
		return true;
	}
	rc = guard_connect_near(s->fd, &addr);
	if (guard_take_back(s, &addr) || (rc < 0 && goes_on(errno)))
		return false;
	notif_result(v, rc);
	return true;
}

/* Connects to a port whose holder was checked. */
static void connect_held(struct net *n, const struct notif_call *c, struct mat_socket *s,
	const struct mat_addr *addr, struct notif_verdict *v)
{
	const bool waits = !mat_nonblocking(s);
	int rc = waits ? guard_connect_near(s->fd, addr)
		       : connect(s->fd, (const struct sockaddr *)&addr->addr, addr->len);
	bool taken_back = guard_take_back(s, addr);

	if (!waits && taken_back)
		notif_deny(v, ECONNREFUSED);
	else if (waits && (taken_back || (rc < 0 && goes_on(errno))))
		park_room(&n->park, c, v, s, connect_again);
	else if (rc < 0) /* EINTR: the socket was non-blocking when it was checked */
		notif_deny(v, errno == EINTR ? EINPROGRESS : errno);
	else
		notif_return(v, 0);
}

static int connect_datagram(struct net *n, struct mat_socket *s, const struct mat_addr *addr)
{
	near_forget(n, s->fd);
	return addr->held ? near_connect(n, s, addr)
			  : connect(s->fd, (const struct sockaddr *)&addr->addr, addr->len);
}

static void connect_inet(struct net *n, const struct notif_call *c, struct mat_socket *s,
	const struct mat_addr *addr, struct notif_verdict *v)
{
	int rc;

	space_note_client(&n->space, s->fd);
	if (s->type == SOCK_STREAM && addr->held) {
		connect_held(n, c, s, addr, v);
		return;
	}
	if (s->type == SOCK_STREAM && !mat_nonblocking(s)) {
		park_connect(&n->park, c, v, s, addr);
		return;
	}
	rc = s->type == SOCK_STREAM
		     ? connect(s->fd, (const struct sockaddr *)&addr->addr, addr->len)
		     : connect_datagram(n, s, addr);
	if (rc < 0)
		notif_deny(v, errno == EINTR ? EINPROGRESS : errno);
	else
		notif_return(v, 0);
}

static void connect_judged(struct net *n, const struct notif_call *c, struct mat_socket *s,
	struct mat_addr *addr, struct notif_verdict *v)
{
	struct net_dest dest;
	const bool intercepted = is_intercepted(n, s, addr, &dest);

	n->connections++;
	if (!judge_may_reach(n, c, s, addr, v))
		return;
	if (intercepted)
		intercept_connect(n, c, s, addr, &dest, v);
	else
		connect_inet(n, c, s, addr, v);
}

void net_on_connect(const struct notif_call *c, struct notif_verdict *v, void *net)
{
	struct net *n = net;
	struct mat_socket s;
	struct mat_addr addr;

	if (mat_socket_look(c, (int)(uint32_t)c->args[0], &s) < 0) {
		notif_deny(v, errno);
		return;
	}
	if (s.domain != AF_INET && s.domain != AF_INET6) {
		if (judge_may_continue(n, c) && !(n->unix_judged && s.domain == AF_UNIX))
			notif_continue(v, NOTIF_OTHER_FAMILY);
		else if (mat_address(c, c->args[1], c->args[2], &addr) < 0)
			notif_deny(v, errno);
		else
			unix_connect(&n->unix_base, c, &s, &addr, v);
	} else if (n->own_only && s.type == SOCK_DGRAM) {
		/* The workload connects to learn its source address. Sends are not trapped in this
		 * mode either. */
		notif_continue(v, NOTIF_CARRIES_NOTHING);
	} else if (mat_address(c, c->args[1], c->args[2], &addr) < 0) {
		notif_deny(v, errno);
	} else {
		connect_judged(n, c, &s, &addr, v);
	}
	mat_socket_close(&s);
}

/* Called before the first process that shares its descriptor table exists. The supervisor cannot
 * know later which processes share a table, because the one that started the others may have ended.
 * */
void net_on_clone(const struct notif_call *c, struct notif_verdict *v, void *net)
{
	struct net *n = net;

	(void)c;
	n->tables_shared = true;
	notif_continue(v, NOTIF_SCALAR_ARGS);
}
