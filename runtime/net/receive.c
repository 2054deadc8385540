/* SPDX-License-Identifier: Apache-2.0
 *
 * Receives datagrams where ports are replaced: if the sender is in the pod, the container is told
 * the port that the sender asked for. The supervisor looks at the sender of the next datagram
 * first. It receives for the caller only if the sender's port is replaced; otherwise the kernel
 * continues the call.
 */
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "runtime/net/internal.h"

/* Where the caller wants the datagram, read once from its memory. */
struct inbox {
	uint64_t name;
	/* address of the length of the name: the size of the buffer before, the length
	 * afterwards */
	uint64_t name_len_at;
	struct iovec *iov;
	size_t n_iov;
	uint64_t control;
	size_t control_len;
	uint64_t msg; /* address of the struct msghdr; 0: recvfrom(2) */
	int flags;
};

static void inbox_free(struct inbox *in)
{
	free(in->iov);
}
#define auto_inbox auto_with(inbox_free)

static int read_from(const struct notif_call *c, struct inbox *in)
{
	in->iov = calloc(1, sizeof(*in->iov));
	if (!in->iov)
		return -1;
	in->iov[0] = (struct iovec){ (void *)(uintptr_t)c->args[1], c->args[2] };
	in->n_iov = 1;
	in->flags = (int)c->args[3];
	in->name = c->args[4];
	in->name_len_at = c->args[5];
	return 0;
}

static int read_msg(const struct notif_call *c, int flags, struct inbox *in)
{
	struct msghdr h;

	if (notif_read(c, c->args[1], &h, sizeof(h)) < 0)
		return -1;
	if (h.msg_iovlen > MAT_IOV_MAX) {
		errno = EMSGSIZE;
		return -1;
	}
	in->iov = calloc(h.msg_iovlen + 1, sizeof(*in->iov));
	if (!in->iov)
		return -1;
	if (h.msg_iovlen > 0 &&
		notif_read(c, (uintptr_t)h.msg_iov, in->iov, h.msg_iovlen * sizeof(*in->iov)) < 0)
		return -1;
	in->n_iov = h.msg_iovlen;
	in->flags = flags;
	in->msg = c->args[1];
	in->name = (uintptr_t)h.msg_name;
	in->name_len_at = in->msg + offsetof(struct msghdr, msg_namelen);
	in->control = (uintptr_t)h.msg_control;
	in->control_len = h.msg_controllen < MAT_CONTROL_MAX ? h.msg_controllen : MAT_CONTROL_MAX;
	return 0;
}

static int read_inbox(const struct notif_call *c, struct inbox *in)
{
	switch (c->nr) {
	case SYS_recvfrom: return read_from(c, in);
	case SYS_recvmsg: return read_msg(c, (int)c->args[2], in);
	default: return read_msg(c, (int)c->args[3], in); /* the first message of recvmmsg(2) */
	}
}

struct letter {
	char data[MAT_DATAGRAM_MAX];
	char control[MAT_CONTROL_MAX];
	struct mat_addr from;
	struct msghdr head;
};

static ssize_t take_letter(const struct mat_socket *s, const struct inbox *in, struct letter *l)
{
	size_t room = 0;
	struct iovec iov = { .iov_base = l->data };
	ssize_t got;

	for (size_t i = 0; i < in->n_iov && room < sizeof(l->data); i++)
		room += in->iov[i].iov_len < sizeof(l->data) ? in->iov[i].iov_len : sizeof(l->data);
	iov.iov_len = room < sizeof(l->data) ? room : sizeof(l->data);
	l->head = (struct msghdr){
		.msg_name = &l->from.addr,
		.msg_namelen = sizeof(l->from.addr),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = in->control_len ? l->control : NULL,
		.msg_controllen = in->control_len,
	};
	got = recvmsg(s->fd, &l->head, in->flags | MSG_DONTWAIT);
	l->from.len = l->head.msg_namelen;
	l->from.given = true;
	return got;
}

static int write_data(
	const struct notif_call *c, const struct inbox *in, const char *data, size_t len)
{
	for (size_t i = 0; i < in->n_iov && len > 0; i++) {
		size_t part = in->iov[i].iov_len < len ? in->iov[i].iov_len : len;

		if (part > 0 && notif_write(c, (uintptr_t)in->iov[i].iov_base, data, part) < 0)
			return -1;
		data += part;
		len -= part;
	}
	return 0;
}

static int write_head(const struct notif_call *c, const struct inbox *in, const struct letter *l)
{
	const size_t len = l->head.msg_controllen;

	if (!in->msg)
		return 0;
	if (len > 0 && notif_write(c, in->control, l->control, len) < 0)
		return -1;
	if (notif_write(c, in->msg + offsetof(struct msghdr, msg_controllen), &len, sizeof(len)) <
		0)
		return -1;
	return notif_write(c, in->msg + offsetof(struct msghdr, msg_flags), &l->head.msg_flags,
		sizeof(l->head.msg_flags));
}

static int deliver(const struct notif_call *c, const struct inbox *in, const struct letter *l,
	ssize_t got, struct notif_verdict *v)
{
	const size_t len = got < (ssize_t)sizeof(l->data) ? (size_t)got : sizeof(l->data);
	const unsigned int count = (unsigned int)got;

	if (write_data(c, in, l->data, len) < 0 || write_head(c, in, l) < 0 ||
		(in->name && names_write(c, in->name, in->name_len_at, &l->from) < 0))
		return -1;
	if (c->nr != SYS_recvmmsg) {
		notif_return(v, got);
		return 0;
	}
	if (notif_write(c, in->msg + sizeof(struct msghdr), &count, sizeof(count)) < 0)
		return -1;
	notif_return(v, 1);
	return 0;
}

static bool receive_for(const struct net *n, const struct notif_call *c, const struct mat_socket *s,
	struct notif_verdict *v)
{
	auto_free struct letter *l = calloc(1, sizeof(*l));
	auto_inbox struct inbox in = { 0 };
	ssize_t got;

	if (!l || read_inbox(c, &in) < 0) {
		notif_deny(v, errno);
		return true;
	}
	got = take_letter(s, &in, l);
	if (got < 0 && errno == EAGAIN)
		return false;
	if (got >= 0)
		names_translate(n, s, &l->from);
	if (got < 0 || deliver(c, &in, l, got, v) < 0)
		notif_deny(v, errno);
	return true;
}

/* Whether shutdown(2) has ended receiving. Then the kernel answers the call. */
static bool is_shut(const struct mat_socket *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLRDHUP };

	return poll(&p, 1, 0) == 1 && (p.revents & POLLRDHUP);
}

/* The kernel would continue recvmmsg(2) with all datagrams, and the supervisor has looked at the
 * first one only. */
static bool takes_many(const struct notif_call *c)
{
	return c->nr == SYS_recvmmsg && (unsigned int)c->args[2] > 1;
}

/* If the socket has a pending error, looking at the datagram consumes the error, so it is the
 * answer. */
static bool try_receive(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	struct notif_verdict *v)
{
	struct mat_addr from = { .len = sizeof(from.addr), .given = true };
	uint16_t port;

	if (recvfrom(s->fd, NULL, 0, MSG_PEEK | MSG_DONTWAIT, (struct sockaddr *)&from.addr,
		    &from.len) < 0) {
		if (errno == EAGAIN && !is_shut(s))
			return false;
		if (errno == EAGAIN)
			notif_continue(v, NOTIF_ONLY_ANSWERS);
		else
			notif_deny(v, errno);
		return true;
	}
	port = mat_port(&from);
	names_translate(n, s, &from);
	if (mat_port(&from) != port || takes_many(c))
		return receive_for(n, c, s, v);
	notif_continue(v, NOTIF_ONLY_ANSWERS);
	return true;
}

static int flags_of(const struct notif_call *c)
{
	return (int)c->args[c->nr == SYS_recvmsg ? 2 : 3];
}

void net_on_receive(const struct notif_call *c, struct notif_verdict *v, void *net)
{
	struct net *n = net;
	struct mat_socket s;
	enum net_proto proto;

	/* If the supervisor cannot look at the socket, the kernel gives its own answer or error. */
	if (mat_socket_open(c, (int)(uint32_t)c->args[0], &s) < 0) {
		notif_continue(v, NOTIF_ONLY_ANSWERS);
		return;
	}
	if (mat_protocol(&s, &proto) < 0 || proto != NET_UDP || (flags_of(c) & MSG_ERRQUEUE) ||
		(c->nr == SYS_recvmmsg && (unsigned int)c->args[2] == 0) ||
		!space_has_replaced(&n->space, NET_UDP))
		notif_continue(v, NOTIF_ONLY_ANSWERS);
	else if (try_receive(n, c, &s, v))
		;
	else if (mat_nonblocking(&s) || (flags_of(c) & MSG_DONTWAIT))
		notif_deny(v, EAGAIN);
	else
		park_receive(&n->park, c, v, &s, try_receive);
	mat_socket_close(&s);
}
