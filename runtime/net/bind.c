/* SPDX-License-Identifier: Apache-2.0
 *
 * bind(2) on a shared stack. The supervisor decides on its own copy of the address and binds a
 * duplicate of the socket. Two pods never share a port, whatever their sockets say with
 * SO_REUSEPORT and SO_REUSEADDR. The pods of one state root take turns to look for holders and to
 * bind, so no pod binds between the two steps of another one. A turn is short, however many sockets
 * the containers hold. A caller that finds the turn taken is parked; the supervisor does not block.
 *
 * Where ports are replaced, the container gets a free port of the node's range if its port is
 * taken.
 */
#include "runtime/net/bind.h"

#include <linux/capability.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/stat.h>

/* Reads the address as inet_bind_sk() and inet6_bind_sk() do. Returns 0, or -1 with errno. */
static int read_wanted(const struct mat_socket *s, const struct mat_addr *a, struct net_bind *ret)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)&a->addr;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&a->addr;
	struct net_bind b = { .v6 = s->domain == AF_INET6 };
	struct net_dest d = { .v6 = b.v6 };
	int only = 0, port = 0, address = 0;
	socklen_t len = sizeof(int);

	if (a->len < (b.v6 ? MAT_V6_ADDR_MIN : sizeof(*v4))) {
		errno = EINVAL;
		return -1;
	}
	if (b.v6 ? v6->sin6_family != AF_INET6
		 : v4->sin_family != AF_INET && v4->sin_family != AF_UNSPEC) {
		errno = EAFNOSUPPORT;
		return -1;
	}
	if (mat_protocol(s, &b.proto) < 0) {
		errno = EACCES;
		return -1;
	}
	if (getsockopt(s->fd, SOL_SOCKET, SO_REUSEPORT, &port, &len) < 0 ||
		getsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &address, &len) < 0 ||
		(b.v6 && getsockopt(s->fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, &len) < 0))
		return -1;
	d.addr = b.v6 ? net_addr_from_bytes(v6->sin6_addr.s6_addr, true)
		      : ntohl(v4->sin_addr.s_addr);
	net_unmap(&d);
	b.v6 = d.v6;
	b.addr = d.addr;
	b.v6only = only != 0;
	b.shares = port || (address && b.proto == NET_UDP);
	/* sin_port and sin6_port have the same offset */
	b.port = ntohs(b.proto == NET_ICMP ? 0 : v4->sin_port);
	*ret = b;
	return 0;
}

static bool holds_bind_service(const struct notif_call *c)
{
	struct caller who;

	return caller_read(c, &who) == 0 && caller_has_cap(&who, CAP_NET_BIND_SERVICE);
}

/* Whether bind(2) is called with CAP_NET_BIND_SERVICE, without it, or not at all. */
enum privilege { PRIVILEGE_REFUSED, PRIVILEGE_NONE, PRIVILEGE_LENT };

static enum privilege privilege_for(const struct net *n, const struct notif_call *c, uint16_t port)
{
	if (port == 0)
		return PRIVILEGE_NONE;
	if (holds_bind_service(c))
		return PRIVILEGE_LENT;
	if (!n->has_unprivileged_start)
		return PRIVILEGE_NONE; /* the kernel decides by the host's own setting */
	return port >= n->unprivileged_start ? PRIVILEGE_LENT : PRIVILEGE_REFUSED;
}

/* Binds the port itself, if no other pod holds it. */
static int bind_exactly(struct binding *b)
{
	const struct net_bind *w = &b->wanted;

	if (w->port != 0 && bind_owner(b, w->port, b->which) == OWNER_OTHER) {
		errno = EADDRINUSE;
		return -1;
	}
	return bind_at(b, w->port);
}

/* bind(2) to port 0: the supervisor chooses a port that the list allows, because a port that the
 * kernel has chosen could not be given back. */
static int bind_free_listed(struct binding *b)
{
	const struct rule_ports *range = &b->n->free_range;

	return bind_in_range(b, range, b->n->n_free_given++, bind_is_listed);
}

static int bind_now(struct binding *b)
{
	if (b->wanted.port == 0)
		return b->n->bind_limited && !b->n->bind_any_free && b->wanted.proto == NET_TCP
			       ? bind_free_listed(b)
			       : bind_at(b, 0);
	if (b->n->space.list.items && b->wanted.proto != NET_ICMP)
		return bind_replacing(b);
	return bind_exactly(b);
}

/* Looks for the holders of the port before the turn begins: the search reads every descriptor of
 * the pod, and other containers must not wait for that. */
static void prepare_binding(struct binding *b)
{
	b->which = owner_worth_asking(&b->wanted);
	b->unknown = false;
	if (b->wanted.port == 0)
		return;
	if (b->n->space.list.items && b->wanted.proto != NET_ICMP)
		ports_prune(b->n->reach.diag_fd, b->wanted.port, &b->n->space.list);
	owner_in_the_way(&b->n->reach, &b->wanted, b->wanted.port, b->which);
}

/* Notes that the pod holds the socket, so nobody has to search for it. */
static void note_bound(const struct binding *b)
{
	const struct net_setup *setup = &b->n->setup;
	struct stat st;

	if (fstat(b->s->fd, &st) == 0)
		setup->host->note(setup->ctx, st.st_ino);
}

/* How often the search is repeated when new holders appear between the search and the turn. */
#define SEARCHES_MAX 4

/* Returns false when another container has the turn. */
static bool bind_in_turn(struct binding *b, int *ret_rc)
{
	const struct net_host *host = b->n->setup.host;
	int rc = -1, saved;

	for (int i = 0; i < SEARCHES_MAX && (i == 0 || (rc < 0 && b->unknown)); i++) {
		prepare_binding(b);
		if (host->lock(b->n->setup.ctx) < 0)
			return false;
		rc = bind_now(b);
		saved = errno;
		host->unlock(b->n->setup.ctx);
		errno = saved;
	}
	if (rc < 0 && b->waits)
		return false;
	if (rc == 0)
		note_bound(b);
	else if (b->unknown)
		errno = EADDRINUSE;
	*ret_rc = rc;
	return true;
}

static bool may_bind(
	struct net *n, const struct notif_call *c, const struct net_bind *w, bool *ret_lend)
{
	enum privilege p;

	if (n->bind_limited && w->proto == NET_TCP && !bind_is_listed(n, w->port)) {
		const struct net_dest d = {
			.proto = w->proto, .v6 = w->v6, .addr = w->addr, .port = w->port
		};

		audit_denial(n, c, &d, &(struct net_answer){ .reason = NET_BY_BIND_LIST });
		return false;
	}
	p = privilege_for(n, c, w->port);
	*ret_lend = p == PRIVILEGE_LENT;
	return p != PRIVILEGE_REFUSED;
}

/* Performs the whole call, with what the caller's memory says now. Returns false when another
 * container binds at the moment. */
static bool try_bind(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	struct notif_verdict *v)
{
	struct binding b = { .n = n, .s = s };
	int rc = -1;

	if (mat_address(c, c->args[1], c->args[2], &b.addr) == 0 &&
		read_wanted(s, &b.addr, &b.wanted) == 0) {
		if (!may_bind(n, c, &b.wanted, &b.lend))
			errno = EACCES;
		else if (!bind_in_turn(&b, &rc))
			return false;
	}
	notif_result(v, rc);
	return true;
}

void net_on_bind(const struct notif_call *c, struct notif_verdict *v, void *net)
{
	struct net *n = net;
	struct mat_socket s;

	if (mat_socket_open(c, (int)(uint32_t)c->args[0], &s) < 0) {
		notif_deny(v, errno);
		return;
	}
	park_drop_gone(&n->park);
	if (s.domain != AF_INET && s.domain != AF_INET6)
		unix_bind(&n->unix_base, c, &s, v);
	else if (!try_bind(n, c, &s, v))
		park_turn(&n->park, c, v, &s, try_bind);
	mat_socket_close(&s);
}
