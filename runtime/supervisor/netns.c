/* SPDX-License-Identifier: Apache-2.0
 *
 * A network namespace that the caller has made and named (a pod's, set up by CNI), or a new one
 * that a hook or the caller configures. The supervisor enters it before init is forked, so that
 * every process of the container is born in it and none can leave it. The supervisor stays in
 * it: callers track the supervisor, and use its /proc/<pid>/ns/net for other containers,
 * configuration and monitoring.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/supervisor/internal.h"

/* The path is looked up again here, so the file is compared with the one that was checked. */
static int join_netns(const struct plan_net *plan, struct sl_err *err)
{
	auto_fd int fd = open(plan->join_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return sl_err_set(err, errno, "network namespace %s", plan->join_path);
	if (st.st_dev != plan->join_dev || st.st_ino != plan->join_ino)
		return sl_err_set(
			err, 0, "network namespace %s: it is another one by now", plan->join_path);
	if (setns(fd, CLONE_NEWNET) < 0)
		return sl_err_set(err, errno, "join the network namespace %s", plan->join_path);
	return 0;
}

static int make_netns(struct sl_err *err)
{
	struct ifreq lo = { .ifr_flags = IFF_UP };
	auto_fd int fd = -1;

	if (unshare(CLONE_NEWNET) < 0)
		return sl_err_set(err, errno, "make a network namespace");
	memcpy(lo.ifr_name, "lo", sizeof("lo"));
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &lo) < 0)
		return sl_err_set(err, errno, "set lo up in a new network namespace");
	return 0;
}

/* /proc/sys/net always shows the network namespace of the process that opens it. */
static int set_one(int proc_fd, const struct key_value *kv, struct sl_err *err)
{
	auto_fd int fd = -1;
	char path[PATH_MAX];
	int len = snprintf(path, sizeof(path), "sys/%s", kv->key);

	if (len < 0 || (size_t)len >= sizeof(path) || strchr(kv->key, '/') || strstr(kv->key, ".."))
		return sl_err_set(err, 0, "linux.sysctl: \"%.200s\" is no setting", kv->key);
	for (char *p = path; *p; p++)
		if (*p == '.')
			*p = '/';
	fd = openat(proc_fd, path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || io_write_all(fd, kv->value, strlen(kv->value)) < 0)
		return sl_err_set(
			err, errno, "linux.sysctl: %s: write \"%.64s\"", kv->key, kv->value);
	return 0;
}

static int set_sysctls(int proc_fd, const struct plan_net *plan, struct sl_err *err)
{
	for (size_t i = 0; i < plan->n_sysctls; i++)
		if (set_one(proc_fd, &plan->sysctls[i], err) < 0)
			return -1;
	return 0;
}

int netns_enter(
	struct supervisor *s, const struct plan_net *plan, int *ret_back_fd, struct sl_err *err)
{
	auto_fd int back_fd = -1;

	*ret_back_fd = -1;
	if (plan->stack == PLAN_STACK_HOST)
		return 0;
	/* The node's addresses change, so its routing is asked whenever the workload names an
	 * address. */
	s->node_route_fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	back_fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	s->node_news_fd = net_watch_routes();
	if (s->node_route_fd < 0 || s->node_news_fd < 0 || back_fd < 0)
		return sl_err_set(err, errno, "the node's network");
	if ((plan->stack == PLAN_STACK_NAMED ? join_netns(plan, err) : make_netns(err)) < 0 ||
		set_sysctls(s->proc_fd, plan, err) < 0)
		return -1;
	*ret_back_fd = take_fd(&back_fd);
	return 0;
}
