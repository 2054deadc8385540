/* SPDX-License-Identifier: Apache-2.0
 *
 * getsockname(2) and getpeername(2) where ports are replaced: the container is told the ports that
 * it asked for. These calls change nothing, so the kernel answers them as long as no port is
 * replaced.
 */
#include <netinet/in.h>
#include <string.h>
#include <sys/syscall.h>

#include "runtime/net/internal.h"

/* Whether the address is one of this stack: the pod's own socket, or a peer on this machine. */
static bool is_near(const struct net *n, const struct mat_socket *s, const struct mat_addr *a)
{
	struct mat_addr copy = *a;
	struct net_dest d;
	bool none;

	if (mat_destination(s, &copy, false, &d, &none) < 0 || none)
		return false;
	return net_is_special(d.v6, d.addr) || route_of(n->reach.route_fd, &d) == ROUTE_HERE;
}

void names_translate(const struct net *n, const struct mat_socket *s, struct mat_addr *a)
{
	enum net_proto proto;

	if (mat_protocol(s, &proto) == 0 && proto != NET_ICMP && is_near(n, s, a))
		mat_set_port(a, space_name(&n->space, proto, mat_port(a)));
}

/* As the kernel's move_addr_to_user(): the address is cut to the size of the buffer, and the length
 * is the whole length. */
int names_write(
	const struct notif_call *c, uint64_t ptr, uint64_t len_ptr, const struct mat_addr *a)
{
	int room, len = (int)a->len;

	if (notif_read(c, len_ptr, &room, sizeof(room)) < 0)
		return -1;
	if (room < 0) {
		errno = EINVAL;
		return -1;
	}
	if (room > len)
		room = len;
	if ((room > 0 && notif_write(c, ptr, &a->addr, (size_t)room) < 0) ||
		notif_write(c, len_ptr, &len, sizeof(len)) < 0) {
		errno = EFAULT;
		return -1;
	}
	return 0;
}

static int get_name(const struct notif_call *c, const struct mat_socket *s, struct mat_addr *ret)
{
	struct sockaddr *addr = (struct sockaddr *)&ret->addr;

	ret->given = true;
	ret->len = sizeof(ret->addr);
	return c->nr == SYS_getpeername ? getpeername(s->fd, addr, &ret->len)
					: getsockname(s->fd, addr, &ret->len);
}

void net_on_name(const struct notif_call *c, struct notif_verdict *v, void *net)
{
	struct net *n = net;
	struct mat_addr a = { 0 };
	struct mat_socket s;
	enum net_proto proto;

	/* If the supervisor cannot look at the socket, the kernel gives its own answer or error. */
	if (mat_socket_open(c, (int)(uint32_t)c->args[0], &s) < 0) {
		notif_continue(v, NOTIF_ONLY_ANSWERS);
		return;
	}
	if (mat_protocol(&s, &proto) < 0 || !space_has_replaced(&n->space, proto)) {
		notif_continue(v, NOTIF_ONLY_ANSWERS);
	} else if (get_name(c, &s, &a) < 0) {
		notif_deny(v, errno);
	} else {
		names_translate(n, &s, &a);
		if (names_write(c, c->args[1], c->args[2], &a) < 0)
			notif_deny(v, errno);
		else
			notif_return(v, 0);
	}
	mat_socket_close(&s);
}
