/* SPDX-License-Identifier: Apache-2.0
 *
 * bind(2) where ports are replaced: binds the port itself if it is free or belongs to the pod,
 * otherwise a free port of the node's range. Runs during the container's turn, see bind.c.
 */
#include <string.h>
#include <sys/stat.h>

#include "runtime/net/bind.h"

struct space_question {
	const struct binding *b;
	uint16_t candidates[8]; /* real ports that other bindings of the pod got for this port */
	size_t n;
	bool is_replacement; /* the number is the replacement of another port of the pod */
};

static void look_at_binding(const struct port_binding *p, void *ctx)
{
	struct space_question *q = ctx;
	const struct net_bind *w = &q->b->wanted;
	bool known = false;

	if (p->proto != w->proto)
		return;
	q->is_replacement |= p->real == w->port && p->asked != w->port;
	if (p->asked != w->port)
		return;
	for (size_t i = 0; i < q->n; i++)
		known |= q->candidates[i] == p->real;
	if (!known && q->n < sizeof(q->candidates) / sizeof(q->candidates[0]))
		q->candidates[q->n++] = p->real;
}

/* Tries a port that may be the pod's own. Returns true when *ret_rc and errno are the final result.
 * */
static bool try_real(struct binding *b, uint16_t port, int *ret_rc)
{
	enum owner owner = bind_owner(b, port, b->which);

	if (owner == OWNER_OTHER)
		return false;
	*ret_rc = bind_at(b, port);
	if (*ret_rc == 0 || errno != EADDRINUSE)
		return true;
	/* Sockets of the same pod conflict with each other as on any machine, also before they
	 * listen. */
	if (owner == OWNER_NOBODY)
		owner = bind_owner(b, port, HOLDERS_BOUND);
	errno = EADDRINUSE;
	return owner == OWNER_POD;
}

struct taken {
	uint64_t bits[(UINT16_MAX + 1) / 64];
};

static void take_port(struct taken *t, uint16_t port)
{
	t->bits[port / 64] |= 1ULL << (port % 64);
}

static bool is_taken(const struct taken *t, uint16_t port)
{
	return t->bits[port / 64] & (1ULL << (port % 64));
}

static void take_held(const struct holder *h, void *ctx)
{
	take_port(ctx, h->port);
}

static void take_real(const struct port_binding *p, void *ctx)
{
	take_port(ctx, p->real);
}

/* Asks the kernel once for the whole range, because other containers wait for their turn. */
int bind_in_range(
	struct binding *b, const struct rule_ports *range, unsigned int from, bind_filter may)
{
	const unsigned int size = range->last - range->first + 1U;
	struct taken taken = { 0 };
	int rc;

	if (holders_each(b->n->reach.diag_fd, b->wanted.proto, *range, b->which, take_held,
		    &taken) < 0) {
		errno = EADDRINUSE;
		return -1;
	}
	if (b->n->space.list.items)
		space_each(&b->n->space, take_real, &taken);
	for (unsigned int i = 0; i < size; i++) {
		uint16_t port = (uint16_t)(range->first + (from + i) % size);

		if (is_taken(&taken, port) || (may && !may(b->n, port)))
			continue;
		rc = bind_at(b, port);
		if (rc == 0 || errno != EADDRINUSE)
			return rc;
	}
	errno = EADDRINUSE;
	return -1;
}

static int bind_in_space(struct binding *b)
{
	struct space_question q = { .b = b };
	int rc;

	space_each(&b->n->space, look_at_binding, &q);
	for (size_t i = 0; i < q.n; i++)
		if (try_real(b, q.candidates[i], &rc))
			return rc;
	if (!q.is_replacement && try_real(b, b->wanted.port, &rc))
		return rc;
	if (b->unknown)
		return -1; /* the holders are searched before the port is given up */
	return bind_in_range(b, &b->n->remap_range, b->wanted.port, NULL);
}

static void remember(struct binding *b)
{
	struct net *n = b->n;
	const struct net_bind *w = &b->wanted;
	struct stat st;

	if (fstat(b->s->fd, &st) < 0)
		return;
	n->space.list.items[n->space.list.n++] = (struct port_binding){
		.proto = w->proto,
		.v6 = w->v6,
		.v6only = w->v6only,
		.addr = w->addr,
		.asked = w->port,
		.real = mat_port(&b->addr),
		.inode = st.st_ino,
	};
	space_save(&n->space);
}

int bind_replacing(struct binding *b)
{
	struct net *n = b->n;
	int rc;

	if (n->space.list.n == PORTS_MAX) {
		errno = ENOBUFS;
		return -1;
	}
	rc = bind_in_space(b);
	if (rc == 0)
		remember(b);
	return rc;
}
