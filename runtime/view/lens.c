/* SPDX-License-Identifier: Apache-2.0
 *
 * Creates the lens: a network namespace that contains only what the container may see. No packet is
 * ever sent over its interface; it only holds addresses.
 */
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>

#include "runtime/base/cleanup.h"
#include "runtime/view/internal.h"
#include "runtime/view/rtnl.h"

/* Kinds of interfaces that are a single device, need no peer, and are up after they are enabled.
 * Not every kernel has every kind. */
static const char *const kinds[] = { "dummy", "ifb", "bridge" };

static int link_up(int fd, int index)
{
	const struct ifinfomsg body = {
		.ifi_index = index,
		.ifi_flags = IFF_UP,
		.ifi_change = IFF_UP,
	};
	struct rtnl m;

	rtnl_begin(&m, RTM_NEWLINK, 0, &body, sizeof(body));
	return rtnl_change(fd, &m);
}

static int link_make(int fd, const char *kind, const struct view_eth *eth)
{
	const struct ifinfomsg body = { .ifi_index = VIEW_ETH_INDEX };
	struct rtnl m;
	size_t info;

	rtnl_begin(&m, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &body, sizeof(body));
	rtnl_put(&m, IFLA_IFNAME, VIEW_ETH, sizeof(VIEW_ETH));
	rtnl_put(&m, IFLA_ADDRESS, eth->mac, VIEW_MAC_LEN);
	info = rtnl_nest(&m, IFLA_LINKINFO);
	rtnl_put(&m, IFLA_INFO_KIND, kind, strlen(kind));
	rtnl_end(&m, info);
	return rtnl_change(fd, &m);
}

/* The kernel must not add a link-local address, because the container could not use it. */
static int link_no_local_address(int fd)
{
	const struct ifinfomsg body = { .ifi_index = VIEW_ETH_INDEX };
	const uint8_t mode = IN6_ADDR_GEN_MODE_NONE;
	size_t families, family;
	struct rtnl m;

	rtnl_begin(&m, RTM_NEWLINK, 0, &body, sizeof(body));
	families = rtnl_nest(&m, IFLA_AF_SPEC);
	family = rtnl_nest(&m, AF_INET6);
	rtnl_put(&m, IFLA_INET6_ADDR_GEN_MODE, &mode, sizeof(mode));
	rtnl_end(&m, family);
	rtnl_end(&m, families);
	/* A kernel without IPv6 adds no address. */
	return rtnl_change(fd, &m) < 0 && errno != EAFNOSUPPORT ? -1 : 0;
}

static int address_add(int fd, int index, const uint8_t *addr, bool v6)
{
	const size_t size = v6 ? 16 : 4;
	const struct ifaddrmsg body = {
		.ifa_family = v6 ? AF_INET6 : AF_INET,
		.ifa_prefixlen = (uint8_t)(size * 8),
		.ifa_flags = v6 ? IFA_F_NODAD : 0,
		.ifa_index = (uint32_t)index,
	};
	struct rtnl m;

	rtnl_begin(&m, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &body, sizeof(body));
	rtnl_put(&m, IFA_LOCAL, addr, size);
	rtnl_put(&m, IFA_ADDRESS, addr, size);
	return rtnl_change(fd, &m);
}

static int route_add(int fd, int index, const uint8_t *addr, bool v6)
{
	const struct rtmsg body = {
		.rtm_family = v6 ? AF_INET6 : AF_INET,
		.rtm_table = RT_TABLE_MAIN,
		.rtm_protocol = RTPROT_BOOT,
		.rtm_scope = v6 ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK,
		.rtm_type = RTN_UNICAST,
	};
	struct rtnl m;

	rtnl_begin(&m, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, &body, sizeof(body));
	rtnl_put(&m, RTA_OIF, &index, sizeof(index));
	rtnl_put(&m, RTA_PREFSRC, addr, v6 ? 16 : 4);
	return rtnl_change(fd, &m);
}

/* Creates eth0. *ret_index: its index, or that of lo if the kernel has none of the kinds. */
static int eth_make(int fd, const struct view_eth *eth, int *ret_index)
{
	size_t n = sizeof(kinds) / sizeof(kinds[0]), i = 0;

	while (i < n && link_make(fd, kinds[i], eth) < 0) {
		if (errno != EOPNOTSUPP)
			return -1;
		i++;
	}
	*ret_index = i < n ? VIEW_ETH_INDEX : VIEW_LO_INDEX;
	if (i == n)
		return 0;
	return link_no_local_address(fd) < 0 ? -1 : link_up(fd, VIEW_ETH_INDEX);
}

int lens_enter(const struct view_eth *eth)
{
	auto_fd int fd = -1;
	int index = 0;

	if (unshare(CLONE_NEWNET) < 0)
		return -1;
	fd = rtnl_open();
	if (fd < 0 || link_up(fd, VIEW_LO_INDEX) < 0)
		return -1;
	if (!eth->has_v4 && !eth->has_v6)
		return 0;
	if (eth_make(fd, eth, &index) < 0)
		return -1;
	if (eth->has_v4 && (address_add(fd, index, eth->v4, false) < 0 ||
				   route_add(fd, index, eth->v4, false) < 0))
		return -1;
	if (eth->has_v6 && (address_add(fd, index, eth->v6, true) < 0 ||
				   route_add(fd, index, eth->v6, true) < 0))
		return -1;
	return 0;
}
