/* SPDX-License-Identifier: Apache-2.0
 *
 * SIOCGIF* (netdevice(7)). The supervisor copies the caller's structure once, asks the kernel on a
 * socket of the same family in the lens, and copies the answer back. A wrong descriptor has the
 * same result as in the kernel: EBADF or ENOTTY.
 */
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "runtime/base/cleanup.h"
#include "runtime/view/internal.h"

/* More interfaces than there can be in a lens: two, and the tunnels of some modules. */
#define CONF_MAX 64

/* Returns the family of the caller's socket, or -1 with the errno of the call. */
static int caller_family(const struct notif_call *c)
{
	int fd = notif_take_fd(c, (int)(uint32_t)c->args[0]), family = -1;
	socklen_t len = sizeof(int);

	if (fd < 0)
		return -1;
	if (notif_waits(c) && getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &len) < 0 &&
		errno == ENOTSOCK)
		errno = ENOTTY;
	brief_close(c->brief, &fd);
	return family;
}

static int open_same(int family)
{
	switch (family) {
	case AF_UNIX:
	case AF_INET:
	case AF_INET6: return socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	case AF_NETLINK: return socket(family, SOCK_RAW | SOCK_CLOEXEC, 0);
	default: errno = ENOTTY; return -1;
	}
}

/* Answers SIOCGIFCONF: fills the caller's buffer, or tells the necessary size if there is none. */
static int answer_conf(const struct notif_call *c, int fd)
{
	struct ifreq list[CONF_MAX];
	struct ifconf conf;
	uint64_t theirs;

	if (notif_read(c, c->args[2], &conf, sizeof(conf)) < 0)
		return -1;
	theirs = (uint64_t)(uintptr_t)conf.ifc_buf;
	if (theirs != 0) {
		memset(list, 0, sizeof(list));
		if (conf.ifc_len > (int)sizeof(list))
			conf.ifc_len = (int)sizeof(list);
		conf.ifc_req = list;
	}
	if (ioctl(fd, SIOCGIFCONF, &conf) < 0)
		return -1;
	if (theirs != 0 && conf.ifc_len > 0 &&
		notif_write(c, theirs, list, (size_t)conf.ifc_len) < 0)
		return -1;
	return notif_write(c, c->args[2] + offsetof(struct ifconf, ifc_len), &conf.ifc_len,
		sizeof(conf.ifc_len));
}

static int answer_one(const struct notif_call *c, int fd, unsigned int command)
{
	struct ifreq req;

	if (notif_read(c, c->args[2], &req, sizeof(req)) < 0 || ioctl(fd, command, &req) < 0)
		return -1;
	return notif_write(c, c->args[2], &req, sizeof(req));
}

static int answer_ioctl(const struct notif_call *c)
{
	const unsigned int command = (unsigned int)c->args[1];
	int family = caller_family(c);
	auto_fd int fd = family < 0 ? -1 : open_same(family);

	if (fd < 0)
		return -1;
	return command == SIOCGIFCONF ? answer_conf(c, fd) : answer_one(c, fd, command);
}

void view_on_interface(const struct notif_call *c, struct notif_verdict *verdict, void *view)
{
	struct view *v = view;
	if (!view_ready(v))
		notif_deny(verdict, EPERM);
	else if (answer_ioctl(c) < 0)
		notif_deny(verdict, errno);
	else
		notif_return(verdict, 0);
}
