/* SPDX-License-Identifier: Apache-2.0
 *
 * network.namespace = join: the caller's network namespace (a pod's, set up by CNI) is
 * entered before init is forked, so that everything of the container is born in it and no
 * process of the container ever could change it. The supervisor goes back for the hooks,
 * which belong to the runtime's namespace (config.md "POSIX-platform Hooks"); what the
 * network rules ask the kernel goes over sockets that were opened meanwhile.
 */
#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>

#include "runtime/base/cleanup.h"
#include "runtime/supervisor/supervisor.h"

/* Seen from the namespace the node is one of many hosts: its addresses are noted here. */
static int note_own_addresses(struct supervisor *s, struct sl_err *err)
{
	struct ifaddrs *list;
	size_t n = 0;

	if (getifaddrs(&list) < 0)
		return sl_err_set(err, errno, "the node's addresses");
	for (const struct ifaddrs *i = list; i; i = i->ifa_next)
		n++;
	s->node_addrs = arena_array(s->arena, n + 1, sizeof(*s->node_addrs));
	for (const struct ifaddrs *i = list; i; i = i->ifa_next) {
		struct plan_net_addr a = { 0 };

		if (!i->ifa_addr ||
			(i->ifa_addr->sa_family != AF_INET && i->ifa_addr->sa_family != AF_INET6))
			continue;
		a.v6 = i->ifa_addr->sa_family == AF_INET6;
		if (a.v6)
			memcpy(a.bytes, &((const struct sockaddr_in6 *)i->ifa_addr)->sin6_addr, 16);
		else
			memcpy(a.bytes, &((const struct sockaddr_in *)i->ifa_addr)->sin_addr, 4);
		s->node_addrs[s->n_node_addrs++] = a;
	}
	freeifaddrs(list);
	return 0;
}

int netns_enter(struct supervisor *s, const struct plan *plan, int *ret_back_fd, struct sl_err *err)
{
	const char *path = plan->net.join_path;
	auto_fd int ns_fd = -1, back_fd = -1;

	*ret_back_fd = -1;
	if (!path)
		return 0;
	if (note_own_addresses(s, err) < 0)
		return -1;
	back_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	ns_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (back_fd < 0 || ns_fd < 0 || setns(ns_fd, CLONE_NEWNET) < 0)
		return sl_err_set(err, errno, "join the network namespace %s", path);
	*ret_back_fd = take_fd(&back_fd);
	return 0;
}

int netns_leave(int *back_fd, struct sl_err *err)
{
	if (*back_fd < 0)
		return 0;
	if (setns(*back_fd, CLONE_NEWNET) < 0)
		return sl_err_set(err, errno, "leave the network namespace");
	drop_fd(back_fd);
	return 0;
}
