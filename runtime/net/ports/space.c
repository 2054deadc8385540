/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions about the pod's port space: which real port a container means, and which port a
 * container knows for a real one.
 */
#include "runtime/net/ports/space.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/net/ports/table.h"

int space_open(struct space *s, struct sl_err *err)
{
	s->scratch = arena_new_checked();
	s->list.items = calloc(PORTS_MAX, sizeof(*s->list.items));
	return s->scratch && s->list.items ? 0
					   : sl_err_set(err, errno, "network: the list of ports");
}

struct visit {
	struct arena *scratch;
	space_visitor visitor;
	void *ctx;
};

static void visit_list(const struct port_list *l, const struct visit *v)
{
	for (size_t i = 0; i < l->n; i++)
		v->visitor(&l->items[i], v->ctx);
}

static void visit_other(int dir_fd, void *ctx)
{
	const struct visit *v = ctx;
	auto_cleared struct arena *a = v->scratch;
	struct sl_err ignored;
	struct port_list l;

	/* A file that cannot be read counts as empty: then nobody in the pod is known to have its
	 * ports. */
	if (ports_read(a, dir_fd, &l, &ignored) == 0)
		visit_list(&l, v);
}

void space_each(const struct space *s, space_visitor visitor, void *ctx)
{
	struct visit v = { s->scratch, visitor, ctx };

	visit_list(&s->list, &v);
	s->host->each_sibling(s->ctx, visit_other, &v);
}

struct space_lookup {
	const struct net_dest *d;
	enum net_proto proto;
	uint16_t port;
	uint16_t result;
	bool hidden;
};

static void find_real(const struct port_binding *b, void *ctx)
{
	struct space_lookup *q = ctx;

	if (b->proto != q->d->proto)
		return;
	if (b->asked == q->d->port && net_gets(b->v6, b->v6only, b->addr, q->d))
		q->result = b->real;
	q->hidden |= b->real == q->d->port && b->real != b->asked;
}

enum space_port space_find(const struct space *s, const struct net_dest *d, uint16_t *ret_real)
{
	struct space_lookup q = { .d = d };

	if (!s->list.items || d->proto == NET_ICMP)
		return SPACE_UNKNOWN;
	space_each(s, find_real, &q);
	if (q.result) {
		*ret_real = q.result;
		return SPACE_MAPPED;
	}
	return q.hidden ? SPACE_HIDDEN : SPACE_UNKNOWN;
}

static void find_asked(const struct port_binding *b, void *ctx)
{
	struct space_lookup *q = ctx;

	if (b->proto == q->proto && b->real == q->port && b->asked != b->real)
		q->result = b->asked;
}

uint16_t space_name(const struct space *s, enum net_proto proto, uint16_t real)
{
	struct space_lookup q = { .proto = proto, .port = real };

	space_each(s, find_asked, &q);
	return q.result ? q.result : real;
}

static void find_client(const struct port_binding *b, void *ctx)
{
	struct space_lookup *q = ctx;

	q->hidden |= b->client && b->asked != b->real;
}

bool space_has_clients(const struct space *s)
{
	struct space_lookup q = { 0 };

	if (s->list.items)
		space_each(s, find_client, &q);
	return q.hidden;
}

void space_note_client(struct space *s, int fd)
{
	struct stat st;
	bool changed = false;

	if (s->list.n == 0 || fstat(fd, &st) < 0)
		return;
	for (size_t i = 0; i < s->list.n; i++) {
		struct port_binding *b = &s->list.items[i];

		if (b->inode != st.st_ino || b->client)
			continue;
		b->client = changed = true;
	}
	if (changed)
		space_save(s);
}

void space_save(struct space *s)
{
	auto_cleared struct arena *a = s->scratch;
	int proc_fd = s->host->proc_net(s->ctx);
	struct sl_err ignored;

	ports_write(a, s->dir_fd, s->id, s->pod, &s->list, &ignored);
	if (proc_fd >= 0)
		table_write(a, proc_fd, &s->list, &ignored);
}

static void find_replaced(const struct port_binding *b, void *ctx)
{
	struct space_lookup *q = ctx;

	q->hidden |= b->proto == q->proto && b->asked != b->real;
}

bool space_has_replaced(const struct space *s, enum net_proto proto)
{
	struct space_lookup q = { .proto = proto };

	if (s->list.items)
		space_each(s, find_replaced, &q);
	return q.hidden;
}
