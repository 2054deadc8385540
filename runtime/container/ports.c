/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists the ports that a container has bound and still holds, if its ports may be replaced.
 */
#include <netinet/in.h>

#include "runtime/container/container.h"
#include "runtime/net/ports/ports.h"

static struct spec_port describe(struct arena *a, const struct port_binding *b)
{
	char text[INET6_ADDRSTRLEN];
	const char *ip = ports_address(b, text, sizeof(text));

	return (struct spec_port){
		.protocol = b->proto == NET_TCP ? "tcp" : "udp",
		.host_ip = arena_strdup(a, ip ? ip : ""),
		.container_port = b->asked,
		.host_port = b->real,
	};
}

void container_ports(const struct runtime *rt, const struct container *c, struct spec_state *state)
{
	struct spec_port *ports;
	struct port_list l;
	struct sl_err ignored;
	auto_fd int diag_fd = -1;

	if (c->status == RECORD_STOPPED || ports_read(rt->arena, c->dir_fd, &l, &ignored) < 0 ||
		l.n == 0)
		return;
	diag_fd = holders_open();
	if (diag_fd < 0)
		return;
	ports_prune(diag_fd, 0, &l);
	ports = arena_array(rt->arena, l.n, sizeof(*ports));
	for (size_t i = 0; i < l.n; i++)
		ports[state->n_ports++] = describe(rt->arena, &l.items[i]);
	state->ports = ports;
}
