/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps that every bind(2) uses: the owner of a port, the list of permitted ports, and the call
 * itself.
 */
#include <linux/capability.h>

#include "runtime/net/bind.h"

bool bind_is_listed(const struct net *n, uint16_t port)
{
	for (size_t i = 0; i < n->n_bind_ports; i++)
		if (n->bind_ports[i].first <= port && port <= n->bind_ports[i].last)
			return true;
	return false;
}

int bind_at(struct binding *b, uint16_t port)
{
	struct act as = { .caps = 1ULL << CAP_NET_BIND_SERVICE };
	int rc;

	if (near_lingers(b->n, &b->wanted, port)) {
		b->waits = true;
		errno = EAGAIN;
		return -1;
	}
	mat_set_port(&b->addr, port);
	if (b->lend && act_begin(&as) < 0)
		return -1;
	rc = bind(b->s->fd, (const struct sockaddr *)&b->addr.addr, b->addr.len);
	if (b->lend)
		act_end(&as);
	return rc;
}

enum owner bind_owner(struct binding *b, uint16_t port, enum holders_of which)
{
	bool known = true;
	enum owner owner = owner_known_in_the_way(&b->n->reach, &b->wanted, port, which, &known);

	b->unknown |= !known;
	if (owner == OWNER_OTHER)
		near_lingers_anew(b->n);
	return owner;
}
