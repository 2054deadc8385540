/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/view/view.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "runtime/base/cleanup.h"
#include "runtime/view/internal.h"
#include "runtime/view/rtnl.h"

/* Addresses that are certainly outside; nothing is sent to them. */
static const uint8_t far_v4[4] = { 1, 0, 0, 1 };
static const uint8_t far_v6[16] = { 0x20, [15] = 1 };

/* The port of sockets that cannot send. Any port that needs no privilege would do. */
#define MUTE_PORT 65535

static bool is_outward(const uint8_t *addr, bool v6)
{
	if (v6)
		return !IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)addr) &&
		       !IN6_IS_ADDR_LOOPBACK((const struct in6_addr *)addr);
	return addr[0] != 127 && addr[0] != 0;
}

/* Finds the node's source address. If there is no default route, the addresses in the rules are
 * tried. */
static bool find_source(int fd, const struct plan_net *p, bool v6, uint8_t *ret)
{
	const enum rule_net_target target = v6 ? RULE_NET_V6 : RULE_NET_V4;

	if (!plan_net_reaches(p, v6))
		return false;
	if (rtnl_source(fd, v6 ? far_v6 : far_v4, v6, ret) == 0)
		return is_outward(ret, v6);
	for (size_t i = 0; i < p->allow.n; i++)
		if (p->allow.items[i].target == target &&
			rtnl_source(fd, p->allow.items[i].addr, v6, ret) == 0 &&
			is_outward(ret, v6))
			return true;
	return false;
}

static int find_eth(const struct plan_net *p, struct view_eth *ret, struct sl_err *err)
{
	struct view_eth eth = { 0 };
	auto_fd int fd = -1;

	if (!plan_net_reaches(p, false) && !plan_net_reaches(p, true))
		return 0;
	fd = rtnl_open();
	if (fd < 0)
		return sl_err_set(err, errno, "interfaces: open netlink");
	eth.has_v4 = find_source(fd, p, false, eth.v4);
	eth.has_v6 = find_source(fd, p, true, eth.v6);
	/* The prefix of locally administered addresses; the rest is the IP address, as it is usual
	 * on bridges of containers. */
	eth.mac[0] = 0x02;
	memcpy(eth.mac + 2, eth.has_v4 ? eth.v4 : eth.v6 + 12, 4);
	*ret = eth;
	return 0;
}

int view_open(
	struct arena *a, const struct view_setup *setup, struct view **ret, struct sl_err *err)
{
	struct view *v = arena_alloc(a, sizeof(*v));

	v->settle = setup->settle;
	v->own_files = setup->own_files;
	v->proc_fd = -1;
	if (setup->plan->view && find_eth(setup->plan, &v->eth, err) < 0)
		return -1;
	*ret = v;
	return 0;
}

int view_fill_proc(struct view *v, int *dir_fd, struct sl_err *err)
{
	v->proc_fd = take_fd(dir_fd);
	return files_write_proc(&v->eth, v->proc_fd, err);
}

int view_fill_class(const struct view *v, int dir_fd, struct sl_err *err)
{
	return files_write_class(&v->eth, dir_fd, err);
}

int view_proc_fd(const struct view *v)
{
	return v->proc_fd;
}

bool view_ready(struct view *v)
{
	if (v->lens == LENS_NONE) {
		v->lens = lens_enter(&v->eth) == 0 ? LENS_OPEN : LENS_BROKEN;
		/* There is no second attempt. What is made from now on must not be able to change
		 * the lens, so the rights are given up in any case. */
		if (v->settle() < 0)
			v->lens = LENS_BROKEN;
	}
	return v->lens == LENS_OPEN;
}

/* Makes the socket unable to send. shutdown(2) needs a connection, which is removed afterwards. The
 * socket is bound, so that it cannot be bound again; a port that was chosen explicitly survives the
 * removal of the connection. */
static int mute(int fd, int family)
{
	const struct sockaddr_in v4 = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons(MUTE_PORT) };
	const struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
		.sin6_addr = IN6ADDR_LOOPBACK_INIT,
		.sin6_port = htons(MUTE_PORT) };
	const struct sockaddr_in6 any_v6 = { .sin6_family = AF_INET6,
		.sin6_port = htons(MUTE_PORT) };
	const struct sockaddr_in any_v4 = { .sin_family = AF_INET, .sin_port = htons(MUTE_PORT) };
	const struct sockaddr none = { .sa_family = AF_UNSPEC };
	const bool is_v6 = family == AF_INET6;
	const socklen_t len = is_v6 ? sizeof(v6) : sizeof(v4);
	const int shared = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &shared, sizeof(shared)) < 0 ||
		bind(fd,
			is_v6 ? (const struct sockaddr *)&any_v6 : (const struct sockaddr *)&any_v4,
			len) < 0 ||
		connect(fd, is_v6 ? (const struct sockaddr *)&v6 : (const struct sockaddr *)&v4,
			len) < 0)
		return -1;
	return shutdown(fd, SHUT_WR) < 0 ? -1 : connect(fd, &none, sizeof(none));
}

void view_on_socket(const struct notif_call *c, struct notif_verdict *verdict, void *view)
{
	struct view *v = view;
	const int family = (int)(uint32_t)c->args[0], type = (int)(uint32_t)c->args[1];
	const int protocol = (int)(uint32_t)c->args[2];
	auto_fd int fd = -1;

	if (!view_ready(v)) {
		notif_deny(verdict, family == AF_NETLINK ? EAFNOSUPPORT : EPERM);
		return;
	}
	fd = socket(family, type | SOCK_CLOEXEC, protocol);
	if (fd < 0 || (family != AF_NETLINK && mute(fd, family) < 0))
		notif_deny(verdict, errno);
	else
		notif_give(verdict, &fd, type & SOCK_CLOEXEC);
}
