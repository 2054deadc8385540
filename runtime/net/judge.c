/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides about a destination. It asks the tables of rules, the kernel's routing, the pod's port
 * space and the kernel's list of sockets (who holds a port), in this order. A denial is written to
 * the audit log.
 *
 * The kernel handles sockets that are not internet sockets. Where datagram sockets are allowed,
 * another thread could put one in the place of such a socket between the check and the call.
 * Therefore the kernel continues a call there only if the caller has no other threads, and never
 * once processes of the container share a descriptor table.
 */
#include <stdio.h>
#include <sys/stat.h>

#include "runtime/net/internal.h"

/* Where the container has its own network namespace, the node is an ordinary remote host there, so
 * the node's own routing is asked. */
static bool is_of_node(const struct net *n, const struct net_dest *d)
{
	return n->reach.node_route_fd >= 0 && route_of(n->reach.node_route_fd, d) != ROUTE_AWAY;
}

/* Whether the kernel, a tunnel or a translator would send the packet back to this node. */
static bool has_own_inside(const struct net *n, const struct net_dest *d)
{
	struct net_dest inside[EMBEDDED_MAX];

	for (size_t i = net_inside(d, inside); i > 0; i--)
		if (route_of(n->reach.route_fd, &inside[i - 1]) != ROUTE_AWAY ||
			is_of_node(n, &inside[i - 1]))
			return true;
	return false;
}

/* Asks the tables first. The routing is asked only where its answer can change the decision. */
static struct net_answer judge_dest(struct net *n, struct net_dest *d)
{
	struct net_answer w = net_judge(&n->reach.table, d);
	enum route route;

	if (net_is_special(d->v6, d->addr) || w.reason == NET_BY_CEILING ||
		(w.decision == NET_DENIED && w.reason == NET_BY_RULE))
		return w;
	if (route_is_away(&n->reach, d))
		return w;
	route = route_of(n->reach.route_fd, d);
	d->here = route == ROUTE_HERE;
	d->own = route != ROUTE_AWAY || is_of_node(n, d);
	d->own_inside = has_own_inside(n, d);
	if (!d->own && !d->own_inside)
		route_note_away(&n->reach, d);
	return d->own || d->own_inside ? net_judge(&n->reach.table, d) : w;
}

static bool refuse_dest(struct net *n, const struct notif_call *c, const struct net_dest *d,
	const struct net_answer *why, struct notif_verdict *v)
{
	audit_denial(n, c, d, why);
	notif_deny(v, n->own_only ? EACCES : ECONNREFUSED);
	return false;
}

/* Replaces the port by the real one. A port that the pod has replaced is decided before the rules
 * about the stack's ports, as long as the pod holds it. Returns false when nobody in the pod has
 * the port, though it is in use on the stack. */
static bool find_real_port(
	const struct net *n, struct net_dest *d, struct mat_addr *addr, struct net_answer *w)
{
	struct net_dest there = *d;

	switch (space_find(&n->space, d, &there.port)) {
	case SPACE_HIDDEN: return false;
	case SPACE_UNKNOWN: break;
	case SPACE_MAPPED:
		if (there.port == d->port || owner_of_port(&n->reach, &there) != OWNER_POD)
			break;
		mat_set_port(addr, there.port);
		d->port = there.port;
		addr->held = true;
		w->decision = NET_ALLOWED;
		break;
	}
	return true;
}

/* Whether the tables and the holder of the port permit the destination. If not, *ret_denied tells
 * whether it is a denial; otherwise nobody listens there. */
static bool reaches(struct net *n, struct net_dest *d, struct mat_addr *addr,
	struct net_answer *ret, bool *ret_denied)
{
	*ret = judge_dest(n, d);
	*ret_denied = ret->decision == NET_DENIED;
	addr->near = d->own || net_is_special(d->v6, d->addr);
	if (*ret_denied || (addr->near && !find_real_port(n, d, addr, ret)))
		return false;
	if (ret->decision == NET_ALLOWED || n->own_stack)
		return true;
	switch (owner_of_port(&n->reach, d)) {
	case OWNER_POD: addr->held = true; return true;
	case OWNER_OTHER: *ret_denied = true; break;
	case OWNER_NOBODY: break;
	}
	return false;
}

bool judge_may_reach(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	struct mat_addr *addr, struct notif_verdict *v)
{
	const bool sending = c->row->notify == NOTIFY_SEND;
	struct net_answer w = { 0 };
	enum net_proto proto;
	struct net_dest d;
	bool none, denied;

	/* No rule can name this protocol. */
	if (mat_protocol(s, &proto) < 0)
		return refuse_dest(n, c, NULL, &w, v);
	if (mat_destination(s, addr, sending, &d, &none) < 0) {
		notif_deny(v, errno);
		return false;
	}
	if (none)
		return true;
	if (reaches(n, &d, addr, &w, &denied))
		return true;
	if (denied)
		return refuse_dest(n, c, &d, &w, v);
	notif_deny(v, ECONNREFUSED);
	return false;
}

bool judge_still_reaches(struct net *n, const struct net_dest *dest, struct mat_addr *addr)
{
	struct net_dest d = *dest;
	struct net_answer ignored;
	bool denied;

	mat_set_port(addr, dest->port);
	return reaches(n, &d, addr, &ignored, &denied);
}

static bool is_alone(const struct net *n, pid_t tid)
{
	char path[32];
	struct stat st;

	/* proc(5): the directory has two links, and one more for each thread. */
	snprintf(path, sizeof(path), "%d/task", tid);
	return fstatat(n->setup.proc_fd, path, &st, 0) == 0 && st.st_nlink == 3;
}

bool judge_may_continue(const struct net *n, const struct notif_call *c)
{
	return !n->datagrams || (!n->tables_shared && is_alone(n, c->pid));
}
