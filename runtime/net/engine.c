/* SPDX-License-Identifier: Apache-2.0
 *
 * Materialise, decide, act. What is no internet socket is the kernel's own affair; where
 * datagrams are allowed a thread could put one in place of such a socket between the look
 * and the call, so there only a caller without other threads goes on; none does any more once
 * processes of the container share a table of descriptors.
 */
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/net/internal.h"

/* What connecting needs besides. */
static int open_connecting(
	struct arena *a, const struct plan_net *plan, struct net *n, struct sl_err *err)
{
	n->route_fd = -1;
	if (!plan_net_connects(plan))
		return 0;
	if (net_compile(a, plan, n, err) < 0)
		return -1;
	n->route_fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	n->news_fd = net_watch_routes();
	if (n->route_fd < 0 || n->news_fd < 0)
		return sl_err_set(err, errno, "network: open netlink");
	return 0;
}

/* ip_local_port_range of ip(7), of the stack that we are on. */
static struct rule_ports read_free_range(int proc_fd)
{
	char text[64];
	unsigned int first, last;

	if (io_slurp(proc_fd, "sys/net/ipv4/ip_local_port_range", text, sizeof(text)) <= 0 ||
		sscanf(text, "%u %u", &first, &last) != 2 || first > last || last > UINT16_MAX)
		return (struct rule_ports){ 32768, 60999 }; /* the kernel's own default */
	return (struct rule_ports){ (uint16_t)first, (uint16_t)last };
}

static int open_binding(
	struct arena *a, const struct plan_net *plan, struct net *n, struct sl_err *err)
{
	struct rule_ports *ports = arena_array(a, plan->n_bind_ports + 1, sizeof(*ports));

	if (plan->n_bind_ports > 0)
		memcpy(ports, plan->bind_ports, plan->n_bind_ports * sizeof(*ports));
	n->bind_limited = plan->bind_limited;
	n->bind_any_free = plan->bind_any_free;
	n->bind_ports = ports;
	n->n_bind_ports = plan->n_bind_ports;
	n->has_unprivileged_start = plan->has_unprivileged_start;
	n->unprivileged_start = plan->unprivileged_start;
	n->remap_range = plan->remap_range;
	n->free_range = read_free_range(n->setup.proc_fd);
	n->diag_fd = holders_open();
	if (n->diag_fd < 0)
		return sl_err_set(err, errno, "network: open netlink");
	return plan->remap ? space_open(n, err) : 0;
}

int net_open(struct arena *a, const struct net_setup *setup, struct net **ret, struct sl_err *err)
{
	struct net *n = arena_alloc(a, sizeof(*n));
	char *pod = arena_strdup(a, setup->pod);

	audit_tame(pod);
	n->setup = *setup;
	n->setup.plan = NULL;
	n->own_stack = setup->plan->own_stack;
	n->datagrams = setup->plan->udp || setup->plan->ping;
	n->own_only = setup->plan->mode == PLAN_NET_OWN;
	n->audit = (struct audit){
		.dir_fd = setup->dir_fd,
		.fd = -1,
		.id = arena_strdup(a, setup->id),
		.pod = pod,
	};
	if (open_binding(a, setup->plan, n, err) < 0 ||
		open_connecting(a, setup->plan, n, err) < 0 || park_open(n, err) < 0)
		return -1;
	*ret = n;
	return 0;
}

/* Seen from a namespace the node is one of many hosts. */
static bool is_of_node(const struct net *n, const struct net_dest *d)
{
	return n->setup.node_route_fd >= 0 && route_of(n->setup.node_route_fd, d) != ROUTE_AWAY;
}

/* Whether the kernel, a tunnel or a translator would bring it back to this node. */
static bool has_own_inside(const struct net *n, const struct net_dest *d)
{
	struct net_dest inside[EMBEDDED_MAX];

	for (size_t i = net_inside(d, inside); i > 0; i--)
		if (route_of(n->route_fd, &inside[i - 1]) != ROUTE_AWAY ||
			is_of_node(n, &inside[i - 1]))
			return true;
	return false;
}

/* First without the route, which is asked only where it can change anything. */
static struct net_answer judge(struct net *n, struct net_dest *d)
{
	struct net_answer w = net_judge(&n->table, d);
	enum route route;

	if (net_is_special(d->v6, d->addr) || w.reason == NET_BY_CEILING ||
		(w.decision == NET_DENIED && w.reason == NET_BY_RULE))
		return w;
	if (route_is_away(n, d))
		return w;
	route = route_of(n->route_fd, d);
	d->here = route == ROUTE_HERE;
	d->own = route != ROUTE_AWAY || is_of_node(n, d);
	d->own_inside = has_own_inside(n, d);
	if (!d->own && !d->own_inside)
		route_note_away(n, d);
	return d->own || d->own_inside ? net_judge(&n->table, d) : w;
}

static bool refuse(struct net *n, const struct notif_call *c, const struct net_dest *d,
	const struct net_answer *why, struct notif_verdict *v)
{
	audit_denial(n, c, d, why);
	notif_deny(v, n->own_only ? EACCES : ECONNREFUSED);
	return false;
}

/* A port that the own pod has replaced comes before what rules say of the stack's, as long as
 * it is there. Returns false when nobody of the pod has the port, though it is taken on the
 * stack. */
static bool find_real_port(
	const struct net *n, struct net_dest *d, struct mat_addr *addr, struct net_answer *w)
{
	struct net_dest there = *d;

	switch (space_find(n, d, &there.port)) {
	case SPACE_HIDDEN: return false;
	case SPACE_UNKNOWN: break;
	case SPACE_MAPPED:
		if (there.port == d->port || owner_of_port(n, &there) != OWNER_POD)
			break;
		mat_set_port(addr, there.port);
		d->port = there.port;
		addr->held = true;
		w->decision = NET_ALLOWED;
		break;
	}
	return true;
}

bool engine_may_reach(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	struct mat_addr *addr, struct notif_verdict *v)
{
	const bool sending = c->row->notify == NOTIFY_SEND;
	struct net_answer w = { 0 };
	enum net_proto proto;
	struct net_dest d;
	bool none;

	/* A protocol that no rule can be about. */
	if (mat_protocol(s, &proto) < 0)
		return refuse(n, c, NULL, &w, v);
	if (mat_destination(s, addr, sending, &d, &none) < 0) {
		notif_deny(v, errno);
		return false;
	}
	if (none)
		return true;
	w = judge(n, &d);
	addr->near = d.own || net_is_special(d.v6, d.addr);
	if (addr->near && w.decision != NET_DENIED && !find_real_port(n, &d, addr, &w)) {
		notif_deny(v, ECONNREFUSED);
		return false;
	}
	switch (w.decision) {
	case NET_ALLOWED: return true;
	case NET_DENIED: return refuse(n, c, &d, &w, v);
	case NET_ASK_OWNER: break;
	}
	if (n->own_stack)
		return true;
	switch (owner_of_port(n, &d)) {
	case OWNER_POD: addr->held = true; return true;
	case OWNER_OTHER: return refuse(n, c, &d, &w, v);
	case OWNER_NOBODY: break;
	}
	/* Nobody is there, which is no denial. */
	notif_deny(v, ECONNREFUSED);
	return false;
}

static bool is_alone(const struct net *n, pid_t tid)
{
	char path[32];
	struct stat st;

	/* proc(5): the directory has two links, and one for each thread. */
	snprintf(path, sizeof(path), "%d/task", tid);
	return fstatat(n->setup.proc_fd, path, &st, 0) == 0 && st.st_nlink == 3;
}

bool engine_may_continue(const struct net *n, const struct notif_call *c)
{
	return !n->datagrams || (!n->tables_shared && is_alone(n, c->pid));
}

/* Before the first process of the kind is there. Whom a table is shared with cannot be followed
 * later: the one that made the others may have ended. */
void net_on_clone(const struct notif_call *c, struct notif_verdict *v, void *net)
{
	struct net *n = net;

	(void)c;
	n->tables_shared = true;
	notif_continue(v, NOTIF_SCALAR_ARGS);
}

static void socket_failed(struct notif_verdict *v)
{
	notif_deny(v, errno);
}

/* Loopback answers within the call, unless the machine is very busy. */
#define ANSWER_MS 2

/* A connection that waits for room in the queue of a listener would be made later, with whoever
 * listens on the port by then. What has been begun is taken back. errno stays as it is. */
static bool take_back(const struct mat_socket *s, const struct mat_addr *addr)
{
	const struct sockaddr none = { .sa_family = AF_UNSPEC };
	struct pollfd p = { .fd = s->fd, .events = POLLOUT };
	uint8_t state = 0;
	socklen_t len = sizeof(state);
	int error, saved = errno;
	bool begun = addr->held && s->type == SOCK_STREAM;

	for (int i = 0; begun && i < 2; i++) {
		begun = getsockopt(s->fd, IPPROTO_TCP, TCP_INFO, &state, &len) == 0 &&
			state == TCP_SYN_SENT;
		if (begun && i == 0)
			poll(&p, 1, ANSWER_MS);
	}
	if (begun) {
		(void)connect(s->fd, &none, sizeof(none));
		len = sizeof(error);
		getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &error, &len); /* of the taking back */
	}
	errno = saved;
	return begun;
}

static bool goes_on(int error)
{
	return error == EINTR || error == EALREADY || error == EINPROGRESS;
}

/* From the beginning, as the holder may have changed. */
static bool connect_again(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	struct notif_verdict *v)
{
	struct mat_addr addr;
	int rc;

	if (mat_address(c, c->args[1], c->args[2], &addr) < 0) {
		notif_deny(v, errno);
		return true;
	}
	if (!engine_may_reach(n, c, s, &addr, v))
		return true;
	if (!addr.held) { /* the address is not what it was */
		notif_deny(v, ECONNREFUSED);
		return true;
	}
	rc = guard_connect_near(s->fd, &addr);
	if (take_back(s, &addr) || (rc < 0 && goes_on(errno)))
		return false;
	if (rc < 0)
		notif_deny(v, errno);
	else
		notif_return(v, 0);
	return true;
}

/* To a port whose holder was judged. */
static void connect_held(struct net *n, const struct notif_call *c, struct mat_socket *s,
	const struct mat_addr *addr, struct notif_verdict *v)
{
	const bool waits = !mat_nonblocking(s);
	int rc = waits ? guard_connect_near(s->fd, addr)
		       : connect(s->fd, (const struct sockaddr *)&addr->addr, addr->len);
	bool taken_back = take_back(s, addr);

	if (!waits && taken_back)
		notif_deny(v, ECONNREFUSED);
	else if (waits && (taken_back || (rc < 0 && goes_on(errno))))
		park_room(n, c, v, s, connect_again);
	else if (rc < 0) /* EINTR: it was not to wait when it was looked at */
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

	space_note_client(n, s);
	if (s->type == SOCK_STREAM && addr->held) {
		connect_held(n, c, s, addr, v);
		return;
	}
	if (s->type == SOCK_STREAM && !mat_nonblocking(s)) {
		park_connect(n, c, v, s, addr);
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

void net_on_connect(const struct notif_call *c, struct notif_verdict *v, void *net)
{
	struct net *n = net;
	struct mat_socket s;
	struct mat_addr addr;

	if (mat_socket_look(c, (int)(uint32_t)c->args[0], &s) < 0) {
		socket_failed(v);
		return;
	}
	if (s.domain != AF_INET && s.domain != AF_INET6) {
		if (engine_may_continue(n, c))
			notif_continue(v, NOTIF_OTHER_FAMILY);
		else if (mat_address(c, c->args[1], c->args[2], &addr) < 0)
			notif_deny(v, errno);
		else
			unix_connect(n, c, &s, &addr, v);
	} else if (n->own_only && s.type == SOCK_DGRAM) {
		/* To learn its source address. Sends are not asked about either. */
		notif_continue(v, NOTIF_CARRIES_NOTHING);
	} else if (mat_address(c, c->args[1], c->args[2], &addr) < 0) {
		notif_deny(v, errno);
	} else if (engine_may_reach(n, c, &s, &addr, v)) {
		connect_inet(n, c, &s, &addr, v);
	}
	mat_socket_close(&s);
}
