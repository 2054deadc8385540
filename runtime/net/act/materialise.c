/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/net/act/materialise.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "runtime/base/cleanup.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

static int option(int fd, int name, int *ret)
{
	socklen_t len = sizeof(*ret);

	return getsockopt(fd, SOL_SOCKET, name, ret, &len);
}

/* Fails if the caller no longer waits: then what was read may be of another process. */
static int make_sure(const struct notif_call *c)
{
	if (notif_waits(c))
		return 0;
	errno = ESRCH;
	return -1;
}

int mat_socket_look(const struct notif_call *c, int fd, struct mat_socket *ret)
{
	struct mat_socket s = { .fd = notif_take_fd(c, fd) };

	if (s.fd < 0)
		return -1;
	if (option(s.fd, SO_DOMAIN, &s.domain) < 0 || option(s.fd, SO_TYPE, &s.type) < 0 ||
		option(s.fd, SO_PROTOCOL, &s.protocol) < 0) {
		brief_close(c->brief, &s.fd);
		return -1;
	}
	*ret = s;
	return 0;
}

int mat_socket_open(const struct notif_call *c, int fd, struct mat_socket *ret)
{
	struct mat_socket s;

	if (mat_socket_look(c, fd, &s) < 0)
		return -1;
	if (make_sure(c) < 0) {
		mat_socket_close(&s);
		return -1;
	}
	*ret = s;
	return 0;
}

bool mat_nonblocking(const struct mat_socket *s)
{
	return fcntl(s->fd, F_GETFL) & O_NONBLOCK;
}

void mat_socket_close(struct mat_socket *s)
{
	drop_fd(&s->fd);
}

/* Prepares an empty address of that length. */
static int prepare_address(uint64_t len, struct mat_addr *ret)
{
	int n = (int)(uint32_t)len;

	memset(ret, 0, sizeof(*ret));
	if (n < 0 || (size_t)n > sizeof(ret->addr)) {
		errno = EINVAL;
		return -1;
	}
	ret->len = (socklen_t)n;
	ret->given = true;
	return 0;
}

int mat_address(const struct notif_call *c, uint64_t ptr, uint64_t len, struct mat_addr *ret)
{
	if (prepare_address(len, ret) < 0)
		return -1;
	return notif_read(c, ptr, &ret->addr, ret->len);
}

/* sin_port and sin6_port have the same offset. */
uint16_t mat_port(const struct mat_addr *a)
{
	return ntohs(((const struct sockaddr_in *)&a->addr)->sin_port);
}

void mat_set_port(struct mat_addr *a, uint16_t port)
{
	((struct sockaddr_in *)&a->addr)->sin_port = htons(port);
}

static size_t payload_max(const struct mat_socket *s)
{
	/* The kernel itself refuses a message that is too large for a unix socket's buffer. */
	return s->type == SOCK_STREAM || s->domain == AF_UNIX ? MAT_STREAM_MAX : MAT_DATAGRAM_MAX;
}

/* Allocates the buffer for the vector. A payload that is too long is cut if the socket is a stream,
 * and refused if the socket is a datagram socket. */
static int prepare_payload(
	const struct mat_socket *s, struct iovec *iov, size_t *n, struct mat_message *m)
{
	size_t total = 0, max = payload_max(s);

	for (size_t i = 0; i < *n; i++) {
		if (iov[i].iov_len > max - total) {
			if (s->type != SOCK_STREAM) {
				errno = EMSGSIZE;
				return -1;
			}
			iov[i].iov_len = max - total;
			*n = i + 1;
		}
		total += iov[i].iov_len;
	}
	m->data = malloc(total + 1);
	if (!m->data)
		return -1;
	m->len = total;
	return 0;
}

/* The control messages that may be sent. Options that change the route of a packet are not among
 * them. */
static bool control_is_fine(const struct cmsghdr *h)
{
	switch (h->cmsg_level) {
	case SOL_SOCKET: return h->cmsg_type == SCM_RIGHTS || h->cmsg_type == SO_TIMESTAMPING;
	case IPPROTO_IP:
		return h->cmsg_type == IP_PKTINFO || h->cmsg_type == IP_TTL ||
		       h->cmsg_type == IP_TOS;
	case IPPROTO_IPV6:
		return h->cmsg_type == IPV6_PKTINFO || h->cmsg_type == IPV6_HOPLIMIT ||
		       h->cmsg_type == IPV6_TCLASS || h->cmsg_type == IPV6_DONTFRAG;
	case IPPROTO_UDP: return h->cmsg_type == UDP_SEGMENT;
	default: return false;
	}
}

/* Replaces the caller's descriptors by duplicates in the supervisor; the kernel passes the same
 * files on. */
static int translate_fds(const struct notif_call *c, struct cmsghdr *h, struct mat_message *m)
{
	size_t n = (h->cmsg_len - CMSG_LEN(0)) / sizeof(int);

	if (n > MAT_FDS_MAX - m->n_fds) {
		errno = EINVAL;
		return -1;
	}
	m->closer = c->brief;
	if (!m->fds && !(m->fds = calloc(MAT_FDS_MAX, sizeof(int))))
		return -1;
	for (size_t i = 0; i < n; i++) {
		int fd;

		memcpy(&fd, CMSG_DATA(h) + i * sizeof(int), sizeof(int));
		fd = notif_take_fd(c, fd);
		if (fd < 0)
			return -1;
		m->fds[m->n_fds++] = fd;
		memcpy(CMSG_DATA(h) + i * sizeof(int), &fd, sizeof(int));
	}
	return 0;
}

static int judge_control(
	const struct notif_call *c, const struct mat_socket *s, struct mat_message *m)
{
	struct msghdr msg = { .msg_control = m->control, .msg_controllen = m->control_len };

	for (struct cmsghdr *h = CMSG_FIRSTHDR(&msg); h; h = CMSG_NXTHDR(&msg, h)) {
		size_t rest = m->control_len - (size_t)((char *)h - m->control);

		if (h->cmsg_len < sizeof(*h) || h->cmsg_len > rest) {
			errno = EINVAL;
			return -1;
		}
		if (!control_is_fine(h)) {
			errno = EPERM;
			return -1;
		}
		if (h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_RIGHTS &&
			s->domain == AF_UNIX && translate_fds(c, h, m) < 0)
			return -1;
	}
	return 0;
}

static int failed(struct mat_message *m)
{
	mat_message_free(m); /* keeps errno */
	return -1;
}

/* Reads the address and the payload in one call. */
int mat_sendto(const struct notif_call *c, const struct mat_socket *s, struct mat_message *ret)
{
	struct iovec theirs[2] = { { .iov_base = (void *)(uintptr_t)c->args[4] },
		{ (void *)(uintptr_t)c->args[1], c->args[2] } };
	struct mat_message m = { .flags = (int)c->args[3] };
	struct iovec mine[2];
	size_t n = 1;

	if (prepare_address(c->args[5], &m.name) < 0 || prepare_payload(s, theirs + 1, &n, &m) < 0)
		return failed(&m);
	theirs[0].iov_len = m.name.len;
	mine[0] = (struct iovec){ &m.name.addr, m.name.len };
	mine[1] = (struct iovec){ m.data, m.len };
	if (notif_copy(c, mine, 2, theirs, 2) < 0 || make_sure(c) < 0)
		return failed(&m);
	*ret = m;
	return 0;
}

/* The buffers for the parts that the header points to, and the addresses of these parts in the
 * caller's memory. */
struct parts {
	struct iovec mine[3];
	struct iovec theirs[3];
	struct iovec *iov;
	size_t n_iov;
};

static int prepare_parts(const struct msghdr *h, struct parts *p, struct mat_message *m)
{
	const size_t max = sizeof(m->name.addr);

	if ((int)h->msg_namelen < 0) {
		errno = EINVAL;
		return -1;
	}
	if (h->msg_name && h->msg_namelen > 0 &&
		prepare_address(h->msg_namelen > max ? max : h->msg_namelen, &m->name) < 0)
		return -1;
	if (h->msg_control && h->msg_controllen > MAT_CONTROL_MAX) {
		errno = ENOBUFS;
		return -1;
	}
	if (h->msg_iovlen > MAT_IOV_MAX) {
		errno = EMSGSIZE;
		return -1;
	}
	m->control_len = h->msg_control ? h->msg_controllen : 0;
	m->control = m->control_len > 0 ? calloc(1, m->control_len) : NULL;
	p->n_iov = h->msg_iovlen;
	p->iov = calloc(p->n_iov + 1, sizeof(*p->iov));
	if (!p->iov || (m->control_len > 0 && !m->control))
		return -1;
	p->mine[0] = (struct iovec){ &m->name.addr, m->name.len };
	p->mine[1] = (struct iovec){ m->control, m->control_len };
	p->mine[2] = (struct iovec){ p->iov, p->n_iov * sizeof(*p->iov) };
	p->theirs[0] = (struct iovec){ h->msg_name, m->name.len };
	p->theirs[1] = (struct iovec){ h->msg_control, m->control_len };
	p->theirs[2] = (struct iovec){ h->msg_iov, p->n_iov * sizeof(*p->iov) };
	return 0;
}

int mat_message(const struct notif_call *c, const struct mat_socket *s, uint64_t ptr, int flags,
	struct mat_message *ret)
{
	const struct iovec at = { (void *)(uintptr_t)ptr, sizeof(struct msghdr) };
	struct mat_message m = { .flags = flags };
	auto_free struct iovec *iov = NULL;
	struct parts p = { .iov = NULL };
	struct msghdr h;
	int rc;

	if (notif_copy(c, &(struct iovec){ &h, sizeof(h) }, 1, &at, 1) < 0)
		return -1;
	rc = prepare_parts(&h, &p, &m);
	iov = p.iov;
	if (rc < 0 || notif_copy(c, p.mine, 3, p.theirs, 3) < 0 || judge_control(c, s, &m) < 0 ||
		prepare_payload(s, iov, &p.n_iov, &m) < 0 ||
		notif_copy(c, &(struct iovec){ m.data, m.len }, 1, iov, p.n_iov) < 0 ||
		make_sure(c) < 0)
		return failed(&m);
	*ret = m;
	return 0;
}

void mat_message_free(struct mat_message *m)
{
	int saved = errno;

	for (size_t i = 0; i < m->n_fds; i++)
		brief_close(m->closer, &m->fds[i]);
	free(m->fds);
	free(m->data);
	free(m->control);
	*m = (struct mat_message){ 0 };
	errno = saved;
}

int mat_protocol(const struct mat_socket *s, enum net_proto *ret)
{
	if (s->domain != AF_INET && s->domain != AF_INET6)
		return -1;
	if (s->type == SOCK_STREAM && s->protocol == IPPROTO_TCP)
		*ret = NET_TCP;
	else if (s->type == SOCK_DGRAM && s->protocol == IPPROTO_UDP)
		*ret = NET_UDP;
	else if (s->type == SOCK_DGRAM &&
		 (s->protocol == IPPROTO_ICMP || s->protocol == IPPROTO_ICMPV6))
		*ret = NET_ICMP;
	else
		return -1;
	return 0;
}

static int decode(const struct mat_addr *a, sa_family_t family, struct net_dest *ret)
{
	if (family == AF_INET && a->len >= sizeof(struct sockaddr_in)) {
		const struct sockaddr_in *sin = (const struct sockaddr_in *)&a->addr;

		ret->v6 = false;
		ret->addr = ntohl(sin->sin_addr.s_addr);
		ret->port = ntohs(sin->sin_port);
	} else if (family == AF_INET6 && a->len >= MAT_V6_ADDR_MIN) {
		const struct sockaddr_in6 *sin6 = (const struct sockaddr_in6 *)&a->addr;

		ret->v6 = true;
		ret->addr = net_addr_from_bytes(sin6->sin6_addr.s6_addr, true);
		ret->port = ntohs(sin6->sin6_port);
	} else {
		errno = family == AF_INET || family == AF_INET6 ? EINVAL : EAFNOSUPPORT;
		return -1;
	}
	return 0;
}

static bool is_empty(const struct net_dest *d)
{
	return d->addr == 0 || (d->v6 && d->addr == (net_addr)0xffff << 32);
}

/* The kernel reads an empty address as loopback if the socket is not bound, and as the socket's own
 * address if it is bound. Another thread may bind it after the decision, so loopback is written
 * out. */
static void write_loopback(struct mat_addr *a, const struct net_dest *d)
{
	if (d->v6) {
		struct sockaddr_in6 *sin6 = (struct sockaddr_in6 *)&a->addr;

		if (d->addr == 0)
			sin6->sin6_addr = in6addr_loopback;
		else
			sin6->sin6_addr.s6_addr32[3] = htonl(INADDR_LOOPBACK);
	} else {
		((struct sockaddr_in *)&a->addr)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	}
}

int mat_destination(const struct mat_socket *s, struct mat_addr *a, bool sending,
	struct net_dest *ret, bool *ret_none)
{
	sa_family_t family = a->addr.ss_family;
	struct net_dest d = { 0 };

	*ret_none = false;
	if (a->len < sizeof(family)) {
		errno = EINVAL;
		return -1;
	}
	if (family == AF_UNSPEC && sending && s->domain == AF_INET) {
		family = AF_INET; /* udp_sendmsg() reads it as AF_INET */
	} else if (family == AF_UNSPEC) {
		*ret_none = true;
		/* The address is cleared, because IPV6_ADDRFORM can still turn the socket into an
		 * IPv4 socket, which would read it as an address. */
		if (sending)
			*a = (struct mat_addr){ 0 };
		return 0;
	}
	if (mat_protocol(s, &d.proto) < 0 || decode(a, family, &d) < 0)
		return -1;
	if (d.proto == NET_ICMP)
		d.port = 0; /* ICMP has no ports */
	if (is_empty(&d))
		write_loopback(a, &d);
	net_normalise(&d);
	*ret = d;
	return 0;
}
