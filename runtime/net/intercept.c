/* SPDX-License-Identifier: Apache-2.0
 *
 * TCP connections to the ports of HTTP rules. The supervisor accepts them and passes each one to
 * the proxy with its destination. The proxy has no right to connect: it sends a socket to the
 * supervisor, which checks the destination again and connects the socket.
 *
 * When the proxy has ended, connections to its ports are refused until the container ends.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/net/internal.h"

/* How long a connection waits for room in the socket to the proxy, which has room for some hundred
 * messages. The proxy reads it between two events. */
#define ROOM_MS 20

int intercept_open(struct arena *a, struct net *n, struct sl_err *err)
{
	struct intercept *i = &n->intercept;
	const struct net_setup *setup = &n->setup;
	struct rule_ports *ports;

	if (setup->proxy_fd < 0)
		return 0;
	if (divert_open(&i->v4, false) < 0 || divert_open(&i->v6, true) < 0)
		return sl_err_set(err, errno, "network: listen for HTTP");
	ports = arena_array(a, setup->n_proxy_ports + 1, sizeof(*ports));
	memcpy(ports, setup->proxy_ports, setup->n_proxy_ports * sizeof(*ports));
	i->ports = ports;
	i->n_ports = setup->n_proxy_ports;
	i->n = setup->proxy_connections;
	i->of = arena_array(a, i->n + 1, sizeof(*i->of));
	return 0;
}

bool intercept_has_port(const struct net *n, uint16_t port)
{
	const struct intercept *i = &n->intercept;

	for (size_t k = 0; k < i->n_ports; k++)
		if (i->ports[k].first <= port && port <= i->ports[k].last)
			return true;
	return false;
}

static struct intercepted *find_free_number(struct intercept *i, uint32_t *ret_id)
{
	for (uint32_t k = 0; k < i->n && !i->ended; k++) {
		const uint32_t id = (i->next + k) % i->n;

		if (i->of[id].open)
			continue;
		i->next = id + 1;
		*ret_id = id;
		return &i->of[id];
	}
	return NULL;
}

static void refuse_port(struct net *n, const struct notif_call *c, const struct net_dest *dest,
	struct notif_verdict *v)
{
	audit_denial(n, c, dest, &(struct net_answer){ .reason = NET_BY_NO_PROXY });
	notif_deny(v, ECONNREFUSED);
}

static int hand_to_proxy(
	const struct net *n, uint32_t id, const struct net_dest *dest, const int *conn_fd)
{
	struct proxy_msg m = { .type = PROXY_OPEN, .id = id };
	struct pollfd room = { .fd = n->setup.proxy_fd, .events = POLLOUT };

	m.dest = (struct proxy_dest){ .v6 = dest->v6, .port = dest->port };
	net_addr_to_bytes(dest->addr, dest->v6, m.dest.addr);
	if (io_send_fds(room.fd, &m, PROXY_MSG_LEN(dest), conn_fd, 1) == 0)
		return 0;
	if (errno != EAGAIN || poll(&room, 1, ROOM_MS) <= 0)
		return -1;
	return io_send_fds(room.fd, &m, PROXY_MSG_LEN(dest), conn_fd, 1);
}

static void undo_connect(const struct mat_socket *s)
{
	const struct sockaddr none = { .sa_family = AF_UNSPEC };

	(void)connect(s->fd, &none, sizeof(none));
}

/* A socket without an address of its own has got the one of the divert's listener. */
static int read_source(int conn_fd, const struct divert *d, struct mat_addr *ret)
{
	*ret = (struct mat_addr){ .len = sizeof(ret->addr) };
	if (getpeername(conn_fd, (struct sockaddr *)&ret->addr, &ret->len) < 0)
		return -1;
	mat_set_port(ret, 0);
	if (ret->len == d->len && memcmp(&ret->addr, &d->addr, d->len) == 0)
		ret->len = 0;
	return 0;
}

/* Binds the way out to the address from which the caller wants to be seen. The port stays the
 * kernel's choice, because the caller's is in use. */
static int bind_source(int fd, const struct mat_addr *source)
{
	const int on = 1;

	if (source->len == 0)
		return 0;
	/* Without it the port is chosen at once, among fewer free ones. */
	(void)setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
	return bind(fd, (const struct sockaddr *)&source->addr, source->len);
}

void intercept_connect(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	const struct mat_addr *addr, const struct net_dest *dest, struct notif_verdict *v)
{
	struct intercept *i = &n->intercept;
	const struct divert *d = dest->v6 ? &i->v6 : &i->v4;
	auto_fd int conn_fd = -1;
	struct mat_addr source;
	struct intercepted *it;
	uint32_t id;

	if (divert_has_begun(s)) {
		notif_result(v, divert_again(s));
		return;
	}
	it = find_free_number(i, &id);
	if (!it) {
		refuse_port(n, c, dest, v);
		return;
	}
	conn_fd = divert_connect(d, s);
	if (conn_fd < 0) {
		notif_deny(v, errno);
		return;
	}
	if (read_source(conn_fd, d, &source) < 0 || hand_to_proxy(n, id, dest, &conn_fd) < 0) {
		undo_connect(s);
		refuse_port(n, c, dest, v);
		return;
	}
	*it = (struct intercepted){ .open = true, .dest = *dest, .addr = *addr, .source = source };
	if (mat_nonblocking(s))
		notif_deny(v, EINPROGRESS);
	else
		notif_return(v, 0);
}

/* Writes the address of the destination for a socket of its own family. */
static void write_address(const struct net_dest *d, struct mat_addr *ret)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)&ret->addr;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&ret->addr;
	const uint32_t scope =
		/* for link-local addresses */
		ret->addr.ss_family == AF_INET6 ? v6->sin6_scope_id : 0;
	uint8_t bytes[16];

	net_addr_to_bytes(d->addr, d->v6, bytes);
	memset(&ret->addr, 0, sizeof(ret->addr));
	if (d->v6) {
		v6->sin6_family = AF_INET6;
		v6->sin6_scope_id = scope;
		memcpy(&v6->sin6_addr, bytes, sizeof(v6->sin6_addr));
		ret->len = sizeof(*v6);
	} else {
		v4->sin_family = AF_INET;
		memcpy(&v4->sin_addr, bytes, sizeof(v4->sin_addr));
		ret->len = sizeof(*v4);
	}
}

/* The socket from the proxy must be a new non-blocking TCP socket of the right family. */
static bool is_fresh(int fd, bool v6)
{
	int domain = 0, type = 0, protocol = 0;
	socklen_t len = sizeof(int);

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 &&
	       getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
	       getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &len) == 0 &&
	       domain == (v6 ? AF_INET6 : AF_INET) && type == SOCK_STREAM &&
	       protocol == IPPROTO_TCP && (fcntl(fd, F_GETFL) & O_NONBLOCK);
}

static int connect_way_out(struct net *n, const struct proxy_msg *m, int fd)
{
	struct intercept *i = &n->intercept;
	struct intercepted *it = m->id < i->n ? &i->of[m->id] : NULL;
	const struct mat_socket s = { .fd = fd, .type = SOCK_STREAM };
	struct mat_addr addr;
	int error;

	if (!it || !it->open || it->used || !is_fresh(fd, it->dest.v6))
		return EPERM;
	it->used = true;
	addr = it->addr;
	write_address(&it->dest, &addr);
	if (!judge_still_reaches(n, &it->dest, &addr))
		return ECONNREFUSED;
	if (bind_source(fd, &it->source) < 0)
		return errno;
	error = connect(fd, (const struct sockaddr *)&addr.addr, addr.len) < 0 ? errno : 0;
	return guard_take_back(&s, &addr) ? ECONNREFUSED : error;
}

/* Returns false when the socket has no room for the message. */
static bool tell_connected(const struct net *n, uint32_t id, int error)
{
	const struct proxy_msg m = { .type = PROXY_CONNECTED, .id = id, .error = error };

	return io_send_fds(n->setup.proxy_fd, &m, PROXY_MSG_LEN(error), NULL, 0) == 0 ||
	       errno != EAGAIN;
}

static void on_way_out(struct net *n, const struct proxy_msg *m, int fd)
{
	struct intercept *i = &n->intercept;
	const int error = connect_way_out(n, m, fd);
	struct intercepted *it;

	if (m->id >= i->n || tell_connected(n, m->id, error))
		return;
	it = &i->of[m->id];
	i->n_due += !it->due;
	it->due = true;
	it->error = error;
}

static void on_number_free(struct net *n, uint32_t id)
{
	struct intercept *i = &n->intercept;

	if (id >= i->n)
		return;
	i->n_due -= i->of[id].due;
	i->of[id].due = i->of[id].open = false;
}

bool net_answer_proxy(struct net *n)
{
	struct intercept *i = &n->intercept;

	for (uint32_t id = 0; id < i->n && i->n_due > 0; id++) {
		if (!i->of[id].due)
			continue;
		if (!tell_connected(n, id, i->of[id].error))
			return false;
		i->of[id].due = false;
		i->n_due--;
	}
	return true;
}

/* The workload may have used up what the audit log takes; this line is written all the same. */
static void give_proxy_up(struct net *n)
{
	const struct proxy_audit gone = {
		.rule = "the HTTP proxy has ended: its ports are closed"
	};

	n->intercept.ended = true;
	audit_request(n, &gone, true);
}

bool net_hear_proxy(struct net *n)
{
	struct proxy_msg m;
	int fd = -1;
	auto_fd int owned = -1;
	size_t n_fds = 0;
	ssize_t r = io_recv_fds(n->setup.proxy_fd, &m, sizeof(m), &fd, 1, &n_fds);

	owned = n_fds == 1 ? fd : -1;
	if (r < 0 && (errno == EAGAIN || errno == EMSGSIZE))
		return true;
	if (r <= 0) {
		give_proxy_up(n);
		return false;
	}
	if (m.type == PROXY_CONNECT && owned >= 0)
		on_way_out(n, &m, owned);
	else if (m.type == PROXY_CLOSED)
		on_number_free(n, m.id);
	else if (m.type == PROXY_AUDIT && (size_t)r == PROXY_MSG_LEN(audit))
		audit_request(n, &m.audit, false);
	return true;
}
