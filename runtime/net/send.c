/* SPDX-License-Identifier: Apache-2.0
 *
 * sendto with an address, sendmsg and sendmmsg. They are trapped only where datagram sockets may
 * exist.
 */
#include <linux/netlink.h>
#include <linux/pidfd.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

#include "runtime/net/internal.h"

#ifndef MSG_ZEROCOPY
#define MSG_ZEROCOPY 0x4000000
#endif

/* Whether a netlink message goes to the kernel. The address is removed: with an address the kernel
 * would check the capabilities of the sender only, which is the supervisor, and not those of the
 * socket's creator (netlink(7)). */
static bool is_to_kernel(const struct net *n, struct mat_message *m)
{
	const struct sockaddr_nl *a = (const struct sockaddr_nl *)&m->name.addr;

	if (!n->setup.host->is_harmless(n->setup.ctx))
		return false;
	if (m->name.given && (m->name.len < sizeof(*a) || a->nl_family != AF_NETLINK ||
				     a->nl_pid != 0 || a->nl_groups != 0))
		return false;
	m->name = (struct mat_addr){ 0 };
	return true;
}

/* The receiver of a datagram socket may be a process without rules, and nobody would check what it
 * sends. Therefore such a socket must not be passed on. */
static bool passes_datagrams(const struct mat_message *m)
{
	for (size_t i = 0; i < m->n_fds; i++) {
		int domain, type;
		socklen_t len = sizeof(domain);

		if (getsockopt(m->fds[i], SOL_SOCKET, SO_DOMAIN, &domain, &len) < 0)
			continue; /* not a socket */
		len = sizeof(type);
		if ((domain == AF_INET || domain == AF_INET6) &&
			(getsockopt(m->fds[i], SOL_SOCKET, SO_TYPE, &type, &len) < 0 ||
				type != SOCK_STREAM))
			return true;
	}
	return false;
}

static bool refuse_passing(struct net *n, const struct notif_call *c, struct notif_verdict *v)
{
	audit_denial(n, c, NULL, &(struct net_answer){ .reason = NET_BY_PASSING });
	notif_deny(v, EPERM);
	return false;
}

/* Whether the supervisor may send this message. If the kernel would refuse the message itself, the
 * send fails later. */
static bool may_send(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	struct mat_message *m, struct notif_verdict *v)
{
	/* the supervisor would send from its copy, so the kernel cannot pin the caller's pages */
	if (m->flags & MSG_ZEROCOPY) {
		notif_deny(v, ENOBUFS);
		return false;
	}
	if (s->domain == AF_INET || s->domain == AF_INET6) {
		if (s->type == SOCK_STREAM || !m->name.given)
			return true; /* TCP ignores the address */
		return judge_may_reach(n, c, s, &m->name, v);
	}
	if (s->domain == AF_UNIX && passes_datagrams(m))
		return refuse_passing(n, c, v);
	if (s->domain == AF_UNIX || (s->domain == AF_NETLINK && is_to_kernel(n, m)))
		return true;
	notif_deny(v, EACCES);
	return false;
}

static void broken_pipe(const struct notif_call *c, const struct mat_socket *s, int flags)
{
	auto_fd int pidfd = -1;

	if (errno != EPIPE || s->type != SOCK_STREAM || (flags & MSG_NOSIGNAL))
		return;
	pidfd = notif_pidfd(c);
	syscall(SYS_pidfd_send_signal, pidfd, SIGPIPE, NULL, 0);
	errno = EPIPE;
}

static ssize_t send_now(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	const struct mat_message *m)
{
	return s->domain == AF_UNIX ? unix_send(&n->unix_base, c, s->fd, m)
				    : send_message(s->fd, m);
}

/* Sends the message, or parks the call. Returns true when v holds the answer to the whole call. */
static bool send_one(struct net *n, const struct notif_call *c, struct mat_socket *s,
	struct mat_message *m, bool may_park, ssize_t *ret, struct notif_verdict *v)
{
	const bool waits = may_park && !(m->flags & MSG_DONTWAIT);
	ssize_t rc;

	if (!may_send(n, c, s, m, v))
		return true;
	rc = send_now(n, c, s, m);
	if (rc > 0 && s->type == SOCK_STREAM)
		m->sent = (size_t)rc;
	if (waits && (rc < 0 ? errno == EAGAIN : m->sent > 0 && m->sent < m->len) &&
		!mat_nonblocking(s) && park_send(&n->park, c, v, s, m, send_now) == 0)
		return true;
	if (rc < 0) {
		broken_pipe(c, s, m->flags);
		notif_deny(v, errno);
		return true;
	}
	*ret = rc;
	return false;
}

static void single(
	struct net *n, const struct notif_call *c, struct mat_socket *s, struct notif_verdict *v)
{
	struct mat_message m;
	ssize_t sent;
	int rc = c->nr == SYS_sendto ? mat_sendto(c, s, &m)
				     : mat_message(c, s, c->args[1], (int)c->args[2], &m);

	if (rc < 0) {
		notif_deny(v, errno);
		return;
	}
	if (!send_one(n, c, s, &m, true, &sent, v))
		notif_return(v, sent);
	mat_message_free(&m);
}

/* As sendmmsg(2) does: if messages were sent before an error, their number is the result and the
 * error is lost. */
static void many(
	struct net *n, const struct notif_call *c, struct mat_socket *s, struct notif_verdict *v)
{
	unsigned int max = (unsigned int)c->args[2], done = 0;

	if (max > MAT_IOV_MAX)
		max = MAT_IOV_MAX;
	for (; done < max; done++) {
		uint64_t at = c->args[1] + done * sizeof(struct mmsghdr);
		struct mat_message m;
		unsigned int len;
		ssize_t sent = 0;
		bool ended;

		if (mat_message(c, s, at, (int)c->args[3], &m) < 0) {
			notif_deny(v, errno);
			break;
		}
		ended = send_one(n, c, s, &m, done == 0, &sent, v);
		mat_message_free(&m);
		if (ended)
			break;
		len = (unsigned int)sent;
		if (notif_write(c, at + offsetof(struct mmsghdr, msg_len), &len, sizeof(len)) < 0) {
			notif_deny(v, EFAULT);
			break;
		}
	}
	if (done > 0 || max == 0)
		notif_return(v, done);
}

void net_on_send(const struct notif_call *c, struct notif_verdict *v, void *net)
{
	struct net *n = net;
	bool has_rules, is_inet, passes;
	struct mat_socket s;
	enum net_proto proto;

	if (mat_socket_look(c, (int)(uint32_t)c->args[0], &s) < 0) {
		notif_deny(v, errno);
		return;
	}
	has_rules = mat_protocol(&s, &proto) == 0;
	is_inet = s.domain == AF_INET || s.domain == AF_INET6;
	passes = s.domain == AF_UNIX && c->nr != SYS_sendto;
	/* The caller's memory can be shared with other processes. Therefore the supervisor itself
	 * sends every datagram and every message that may carry descriptors. Other sends have no
	 * argument that could be exchanged. */
	if (is_inet && !has_rules)
		/* a socket from outside the container, which no rule can name */
		notif_deny(v, EACCES);
	else if (!passes && (!is_inet || proto == NET_TCP) && judge_may_continue(n, c) &&
		 !(n->unix_judged && s.domain == AF_UNIX))
		notif_continue(v, NOTIF_OTHER_FAMILY);
	else if (c->nr == SYS_sendmmsg)
		many(n, c, &s, v);
	else
		single(n, c, &s, v);
	mat_socket_close(&s);
}
