/* SPDX-License-Identifier: Apache-2.0
 *
 * Opens what the network of one container needs, and continues the calls that wait.
 */
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "runtime/base/io.h"
#include "runtime/net/internal.h"

/* Opens what connect and send need in addition. */
static int open_connecting(
	struct arena *a, const struct plan_net *plan, struct net *n, struct sl_err *err)
{
	n->reach.route_fd = -1;
	if (!plan_net_connects(plan))
		return 0;
	if (net_compile(a, plan, &n->reach, err) < 0)
		return -1;
	n->reach.route_fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	n->reach.news_fd = net_watch_routes();
	if (n->reach.route_fd < 0 || n->reach.news_fd < 0)
		return sl_err_set(err, errno, "network: open netlink");
	return 0;
}

/* ip_local_port_range (ip(7)) of the current network stack. */
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
	n->reach.diag_fd = holders_open();
	if (n->reach.diag_fd < 0)
		return sl_err_set(err, errno, "network: open netlink");
	return plan->remap ? space_open(&n->space, err) : 0;
}

/* Opens the guard, the tick and the list of parked calls. */
static int open_waiting(struct net *n, struct sl_err *err)
{
	n->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (n->epoll_fd < 0 || tick_open(&n->tick, n->epoll_fd) < 0)
		return sl_err_set(err, errno, "network: set the waiting up");
	n->park = (struct park){
		.net = n,
		.guard = &n->guard,
		.tick = &n->tick,
		.epoll_fd = n->epoll_fd,
		.proc_fd = n->setup.proc_fd,
	};
	if (park_open(&n->park) < 0 || guard_open(&n->guard) < 0)
		return sl_err_set(err, errno, "network: set the alarm up");
	return 0;
}

int net_open(struct arena *a, const struct net_setup *setup, struct net **ret, struct sl_err *err)
{
	struct net *n = arena_alloc(a, sizeof(*n));
	char *pod = arena_strdup(a, setup->pod);

	audit_tame(pod);
	n->setup = *setup;
	n->setup.plan = NULL;
	n->own_stack = setup->plan->own_stack;
	n->unix_judged = setup->plan->unix_judged;
	n->datagrams = setup->plan->udp || setup->plan->ping;
	n->own_only = setup->plan->mode == PLAN_NET_OWN;
	n->audit = (struct audit){
		.dir_fd = setup->dir_fd,
		.fd = -1,
		.id = arena_strdup(a, setup->id),
		.pod = pod,
	};
	n->unix_base = (struct unix_base){
		.proc_fd = setup->proc_fd,
		.fence_sockets = setup->host->fence_sockets,
		.writable_only = setup->plan->unix_judged,
	};
	n->reach.host = setup->host;
	n->reach.ctx = setup->ctx;
	n->reach.node_route_fd = setup->node_route_fd;
	n->reach.node_news_fd = setup->node_news_fd;
	n->space = (struct space){
		.host = setup->host,
		.ctx = setup->ctx,
		.dir_fd = setup->dir_fd,
		.id = n->audit.id,
		.pod = n->audit.pod,
	};
	if (open_binding(a, setup->plan, n, err) < 0 ||
		open_connecting(a, setup->plan, n, err) < 0 || open_waiting(n, err) < 0 ||
		intercept_open(a, n, err) < 0)
		return -1;
	*ret = n;
	return 0;
}

static void set_guard_pace(struct net *n)
{
	tick_want(&n->tick, TICK_GUARD, n->guard.alarmed ? TICK_USUAL : TICK_OFF);
}

void net_guard(struct net *n, bool on)
{
	guard_set(&n->guard, on);
	set_guard_pace(n);
}

static void tick(struct net *n)
{
	if (!tick_take(&n->tick))
		return;
	park_look(&n->park);
	near_look(n);
	guard_tick(&n->guard);
}

void net_progress(struct net *n)
{
	struct epoll_event e;

	/* Handles one event at a time, because continuing one call may end another one. */
	if (epoll_wait(n->epoll_fd, &e, 1, 0) != 1)
		return;
	if (e.data.ptr)
		park_go_on(&n->park, e.data.ptr);
	else
		tick(n);
	set_guard_pace(n);
}

int net_wait_fd(const struct net *n)
{
	return n->epoll_fd;
}

uint64_t net_connections(const struct net *n)
{
	return n->connections;
}

uint64_t net_denials(const struct net *n)
{
	return n->audit.denials;
}
