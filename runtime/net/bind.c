/* SPDX-License-Identifier: Apache-2.0
 *
 * bind(2) on a stack that is shared: decided on our own copy of the address and done on a
 * duplicate of the socket. Who holds a port does not share it with another pod, whatever both
 * have said of SO_REUSEPORT and SO_REUSEADDR; the pods of this state root look and bind one
 * after the other, so that none comes between the other's two steps.
 *
 * Where ports are replaced, a port that is taken becomes a free one of the node's range.
 */
#include <linux/capability.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/net/internal.h"

/* As inet_bind_sk() and inet6_bind_sk() read it. Returns 0, or -1 with errno. */
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
	b.port = ntohs(b.proto == NET_ICMP ? 0 : v4->sin_port); /* at the same place in both */
	*ret = b;
	return 0;
}

static bool is_listed(const struct net *n, uint16_t port)
{
	for (size_t i = 0; i < n->n_bind_ports; i++)
		if (n->bind_ports[i].first <= port && port <= n->bind_ports[i].last)
			return true;
	return false;
}

static bool holds_bind_service(const struct net *n, pid_t tid)
{
	uint64_t effective;

	return caller_mask(n, tid, "\nCapEff:", &effective) == 0 &&
	       (effective & (1ULL << CAP_NET_BIND_SERVICE));
}

/* Whether the kernel may be asked with the privilege, without it, or not at all. */
enum privilege { PRIVILEGE_REFUSED, PRIVILEGE_NONE, PRIVILEGE_LENT };

static enum privilege privilege_for(const struct net *n, const struct notif_call *c, uint16_t port)
{
	if (port == 0)
		return PRIVILEGE_NONE;
	if (holds_bind_service(n, c->pid))
		return PRIVILEGE_LENT;
	if (!n->has_unprivileged_start)
		return PRIVILEGE_NONE; /* the kernel says it by the host's own setting */
	return port >= n->unprivileged_start ? PRIVILEGE_LENT : PRIVILEGE_REFUSED;
}

struct binding {
	struct net *n;
	const struct mat_socket *s;
	struct mat_addr addr;
	struct net_bind wanted;
	enum holders_of which; /* may be in the way */
	bool lend;
};

/* bind(2) with another port; 0, or -1 with errno. */
static int bind_at(struct binding *b, uint16_t port)
{
	const struct net_host *host = b->n->setup.host;
	int rc, saved;

	mat_set_port(&b->addr, port);
	if (b->lend && host->privilege(b->n->setup.ctx, true) < 0)
		return -1;
	rc = bind(b->s->fd, (const struct sockaddr *)&b->addr.addr, b->addr.len);
	saved = errno;
	if (b->lend)
		host->privilege(b->n->setup.ctx, false);
	errno = saved;
	return rc;
}

/* The port itself, and only when no stranger holds it. */
static int bind_exactly(struct binding *b)
{
	const struct net_bind *w = &b->wanted;

	if (w->port != 0 && owner_in_the_way(b->n, w, w->port, b->which) == OWNER_OTHER) {
		errno = EADDRINUSE;
		return -1;
	}
	return bind_at(b, w->port);
}

struct space_question {
	const struct binding *b;
	uint16_t candidates[8]; /* real ports behind the one that is asked for */
	size_t n;
	bool is_replacement; /* the number itself stands for another port of the pod */
};

static void look_at(const struct port_binding *p, void *ctx)
{
	struct space_question *q = ctx;
	const struct net_bind *w = &q->b->wanted;
	bool known = false;

	if (p->proto != w->proto)
		return;
	q->is_replacement |= p->real == w->port && p->asked != w->port;
	if (p->asked != w->port)
		return;
	for (size_t i = 0; i < q->n; i++)
		known |= q->candidates[i] == p->real;
	if (!known && q->n < sizeof(q->candidates) / sizeof(q->candidates[0]))
		q->candidates[q->n++] = p->real;
}

/* A port that may be the pod's own. Returns true when *ret_rc and errno are the answer. */
static bool try_real(struct binding *b, uint16_t port, int *ret_rc)
{
	enum owner owner = owner_in_the_way(b->n, &b->wanted, port, b->which);

	if (owner == OWNER_OTHER)
		return false;
	*ret_rc = bind_at(b, port);
	if (*ret_rc == 0 || errno != EADDRINUSE)
		return true;
	/* The pod's own sockets are in the way of each other as on any machine, also before
	 * they listen. */
	if (owner == OWNER_NOBODY)
		owner = owner_in_the_way(b->n, &b->wanted, port, HOLDERS_BOUND);
	errno = EADDRINUSE;
	return owner == OWNER_POD;
}

struct taken {
	uint64_t bits[(UINT16_MAX + 1) / 64];
};

static void take(struct taken *t, uint16_t port)
{
	t->bits[port / 64] |= 1ULL << (port % 64);
}

static bool is_taken(const struct taken *t, uint16_t port)
{
	return t->bits[port / 64] & (1ULL << (port % 64));
}

static void take_held(const struct holder *h, void *ctx)
{
	take(ctx, h->port);
}

static void take_real(const struct port_binding *p, void *ctx)
{
	take(ctx, p->real);
}

/* One look for the whole range: others wait for their turn to bind. */
static int bind_in_range(struct binding *b)
{
	const struct rule_ports range = b->n->remap_range;
	const unsigned int size = range.last - range.first + 1U;
	const unsigned int from = b->wanted.port % size;
	struct taken taken = { 0 };
	int rc;

	if (holders_each(b->n->diag_fd, b->wanted.proto, range, b->which, take_held, &taken) < 0) {
		errno = EADDRINUSE;
		return -1;
	}
	space_each(b->n, take_real, &taken);
	for (unsigned int i = 0; i < size; i++) {
		uint16_t port = (uint16_t)(range.first + (from + i) % size);

		if (is_taken(&taken, port))
			continue;
		rc = bind_at(b, port);
		if (rc == 0 || errno != EADDRINUSE)
			return rc;
	}
	errno = EADDRINUSE;
	return -1;
}

static int bind_in_space(struct binding *b)
{
	struct space_question q = { .b = b };
	int rc;

	space_each(b->n, look_at, &q);
	for (size_t i = 0; i < q.n; i++)
		if (try_real(b, q.candidates[i], &rc))
			return rc;
	if (!q.is_replacement && try_real(b, b->wanted.port, &rc))
		return rc;
	return bind_in_range(b);
}

static void remember(struct binding *b)
{
	struct net *n = b->n;
	const struct net_bind *w = &b->wanted;
	struct stat st;

	if (fstat(b->s->fd, &st) < 0)
		return;
	n->ports.items[n->ports.n++] = (struct port_binding){
		.proto = w->proto,
		.v6 = w->v6,
		.v6only = w->v6only,
		.addr = w->addr,
		.asked = w->port,
		.real = mat_port(&b->addr),
		.inode = st.st_ino,
	};
	space_save(n);
}

static int bind_replacing(struct binding *b)
{
	struct net *n = b->n;
	int rc;

	if (n->ports.n == PORTS_MAX) {
		errno = ENOBUFS;
		return -1;
	}
	rc = bind_in_space(b);
	if (rc == 0)
		remember(b);
	return rc;
}

/* What can be found out before it is our turn: who holds the port is known afterwards, and is
 * not looked for while others wait. */
static void prepare(struct binding *b, bool replaces)
{
	park_drop_gone(b->n);
	b->which = owner_worth_asking(&b->wanted);
	if (replaces)
		ports_prune(b->n->diag_fd, b->wanted.port, &b->n->ports);
	if (b->wanted.port != 0)
		owner_in_the_way(b->n, &b->wanted, b->wanted.port, b->which);
}

static int bind_alone(struct binding *b)
{
	const struct net_host *host = b->n->setup.host;
	const bool replaces =
		b->n->ports.items && b->wanted.port != 0 && b->wanted.proto != NET_ICMP;
	int rc, saved;

	prepare(b, replaces);
	if (host->lock(b->n->setup.ctx) < 0)
		return -1;
	rc = replaces ? bind_replacing(b) : bind_exactly(b);
	saved = errno;
	host->unlock(b->n->setup.ctx);
	errno = saved;
	return rc;
}

static bool may_bind(
	struct net *n, const struct notif_call *c, const struct net_bind *w, bool *ret_lend)
{
	enum privilege p;

	if (n->bind_limited && w->proto == NET_TCP && !is_listed(n, w->port)) {
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

static int bind_inet(struct net *n, const struct notif_call *c, const struct mat_socket *s)
{
	struct binding b = { .n = n, .s = s };

	if (mat_address(c, c->args[1], c->args[2], &b.addr) < 0 ||
		read_wanted(s, &b.addr, &b.wanted) < 0)
		return -1;
	if (!may_bind(n, c, &b.wanted, &b.lend)) {
		errno = EACCES;
		return -1;
	}
	return bind_alone(&b);
}

/* Another socket that is put in the place of a unix one meets Landlock, which lets nothing of
 * the container bind TCP. */
void net_on_bind(const struct notif_call *c, struct notif_verdict *v, void *net)
{
	struct net *n = net;
	struct mat_socket s;

	if (mat_socket_open(c, (int)(uint32_t)c->args[0], &s) < 0) {
		notif_deny(v, errno);
		return;
	}
	if (s.domain != AF_INET && s.domain != AF_INET6)
		notif_continue(v, NOTIF_OTHER_FAMILY);
	else if (bind_inet(n, c, &s) < 0)
		notif_deny(v, errno);
	else
		notif_return(v, 0);
	mat_socket_close(&s);
}
