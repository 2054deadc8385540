/* SPDX-License-Identifier: Apache-2.0
 *
 * Two prefixes are either nested or disjoint. So one pass over them in the order of their first
 * address, with a stack of the enclosing prefixes, gives the disjoint spans.
 */
#include "runtime/net/reach/verdict.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/special.h"

/* The limit for port ranges in all spans. The rules come from a tenant, so the memory that they use
 * must be limited; 10 000 networks with a dozen ports each stay far below. */
#define PORTS_MAX ((size_t)1 << 20)

#define ADDR_MAX  (~(net_addr)0)

struct net_prefix {
	net_addr first;
	net_addr last;
	const struct net_ports *ports;
	size_t n_ports;
};

struct set_build {
	struct arena *a;
	size_t n_ports; /* port ranges in all lists so far */
};

static net_addr mask_of(unsigned int bits)
{
	return bits == 0 ? 0 : bits >= 128 ? ADDR_MAX : ((net_addr)1 << bits) - 1;
}

net_addr net_addr_from_bytes(const uint8_t *bytes, bool v6)
{
	net_addr v = 0;

	for (int i = 0; i < (v6 ? 16 : 4); i++)
		v = v << 8 | bytes[i];
	return v;
}

void net_addr_to_bytes(net_addr addr, bool v6, uint8_t *ret_bytes)
{
	for (int i = v6 ? 15 : 3; i >= 0; i--, addr >>= 8)
		ret_bytes[i] = (uint8_t)addr;
}

bool net_gets(bool v6, bool v6only, net_addr bound, const struct net_dest *d)
{
	if (v6 == d->v6)
		return bound == 0 || bound == d->addr;
	return v6 && bound == 0 && !v6only;
}

static int by_first_port(const void *x, const void *y)
{
	const struct net_ports *a = x, *b = y;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return a->rule < b->rule ? -1 : a->rule > b->rule;
}

/* Sorts the ranges and makes them disjoint, in place. Returns the new number. */
static size_t flatten(struct net_ports *p, size_t n)
{
	size_t out = 0;
	int covered = -1;

	qsort(p, n, sizeof(*p), by_first_port);
	for (size_t i = 0; i < n; i++) {
		struct net_ports e = p[i];

		if (e.last <= covered)
			continue;
		if (e.first <= covered)
			e.first = (uint16_t)(covered + 1);
		covered = e.last;
		p[out++] = e;
	}
	return out;
}

static void copy_ports(struct net_ports *out, const struct net_rule *r)
{
	const struct net_ports all = { 0, UINT16_MAX, r->number };

	if (r->n_ports == 0) {
		*out = all;
		return;
	}
	for (size_t i = 0; i < r->n_ports; i++) {
		out[i] = r->ports[i];
		out[i].rule = r->number;
	}
}

static size_t ports_of(const struct net_rule *r)
{
	return r->n_ports ? r->n_ports : 1;
}

/* Joins the ports of the first n rules into one list. */
static int join_ports(struct set_build *b, const struct net_rule *const *rules, size_t n,
	const struct net_ports **ret, size_t *ret_n)
{
	struct net_ports *p;
	size_t total = 0, at = 0;

	for (size_t i = 0; i < n; i++)
		total += ports_of(rules[i]);
	b->n_ports += total;
	if (b->n_ports > PORTS_MAX)
		return -1;
	p = arena_array(b->a, total + 1, sizeof(*p));
	for (size_t i = 0; i < n; i++) {
		copy_ports(p + at, rules[i]);
		at += ports_of(rules[i]);
	}
	*ret = p;
	*ret_n = flatten(p, total);
	return 0;
}

static net_addr last_of(const struct net_rule *r)
{
	return r->addr | mask_of((r->v6 ? 128 : 32) - r->prefix);
}

/* Sorts outer networks before inner ones. */
static int by_prefix(const void *x, const void *y)
{
	const struct net_rule *a = *(const struct net_rule *const *)x;
	const struct net_rule *b = *(const struct net_rule *const *)y;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->prefix != b->prefix)
		return a->prefix < b->prefix ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

struct sweep {
	struct set_build *b;
	struct net_prefix *stack;
	size_t depth;
	net_addr cursor;
	struct net_span *out;
	size_t n;
};

static void emit(struct sweep *s, net_addr last)
{
	const struct net_prefix *top = &s->stack[s->depth - 1];

	if (s->cursor <= last)
		s->out[s->n++] = (struct net_span){ s->cursor, last, top->ports, top->n_ports };
}

/* Closes the prefixes that end before the address, or all of them. */
static void close_until(struct sweep *s, net_addr addr, bool all)
{
	while (s->depth > 0 && (all || s->stack[s->depth - 1].last < addr)) {
		net_addr last = s->stack[s->depth - 1].last;

		emit(s, last);
		if (last == ADDR_MAX) { /* nothing is behind it, in no enclosing network */
			s->depth = 0;
			return;
		}
		s->cursor = last + 1;
		s->depth--;
	}
}

static int open_prefix(struct sweep *s, struct net_prefix p)
{
	if (s->depth > 0) {
		const struct net_prefix *up = &s->stack[s->depth - 1];
		struct net_ports *both;

		if (s->cursor < p.first)
			emit(s, p.first - 1);
		s->b->n_ports += up->n_ports + p.n_ports;
		if (s->b->n_ports > PORTS_MAX)
			return -1;
		both = arena_array(s->b->a, up->n_ports + p.n_ports + 1, sizeof(*both));
		memcpy(both, up->ports, up->n_ports * sizeof(*both));
		memcpy(both + up->n_ports, p.ports, p.n_ports * sizeof(*both));
		p.n_ports = flatten(both, up->n_ports + p.n_ports);
		p.ports = both;
	}
	s->cursor = p.first;
	s->stack[s->depth++] = p;
	return 0;
}

static int build_family(struct set_build *b, const struct net_rule **rules, size_t n,
	struct net_span **ret, size_t *ret_n)
{
	struct sweep s = { .b = b };

	qsort(rules, n, sizeof(void *), by_prefix);
	s.stack = arena_array(b->a, n + 1, sizeof(*s.stack));
	s.out = arena_array(b->a, 2 * n + 1, sizeof(*s.out));
	for (size_t i = 0, same; i < n; i += same) {
		struct net_prefix p = { .first = rules[i]->addr, .last = last_of(rules[i]) };

		for (same = 1; i + same < n && rules[i + same]->addr == rules[i]->addr &&
			       rules[i + same]->prefix == rules[i]->prefix;
			same++)
			;
		close_until(&s, p.first, false);
		if (join_ports(b, rules + i, same, &p.ports, &p.n_ports) < 0 ||
			open_prefix(&s, p) < 0)
			return -1;
	}
	close_until(&s, 0, true);
	*ret = s.out;
	*ret_n = s.n;
	return 0;
}

static int build_set(
	struct set_build *b, const struct net_rule *const *rules, size_t n, struct net_set *ret)
{
	const struct net_rule **part = arena_array(b->a, n + 1, sizeof(void *));

	for (int f = 0; f < 2; f++) {
		size_t k = 0;

		for (size_t i = 0; i < n; i++)
			if (!rules[i]->any && rules[i]->v6 == (f == 1))
				part[k++] = rules[i];
		if (build_family(b, part, k, &ret->family[f].spans, &ret->family[f].n) < 0)
			return -1;
	}
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (rules[i]->any)
			part[k++] = rules[i];
	return k == 0 ? 0 : join_ports(b, part, k, &ret->any, &ret->n_any);
}

/* A single address, or a network in which every address is special. */
static bool is_literal(const struct net_rule *r)
{
	if (r->any || r->wide)
		return false;
	return r->prefix == (r->v6 ? 128U : 32U) ||
	       (net_is_special(r->v6, r->addr) && net_is_special(r->v6, last_of(r)) &&
		       r->prefix >= 4);
}

enum which { ALL, WIDE, LITERAL };

static int build_sets(struct set_build *b, const struct net_rule *rules, size_t n, enum which which,
	struct net_set ret[NET_PROTOS])
{
	const struct net_rule **part = arena_array(b->a, n + 1, sizeof(void *));

	for (enum net_proto proto = 0; proto < NET_PROTOS; proto++) {
		size_t k = 0;

		for (size_t i = 0; i < n; i++)
			if (rules[i].proto == proto &&
				(which == ALL || is_literal(&rules[i]) == (which == LITERAL)))
				part[k++] = &rules[i];
		if (build_set(b, part, k, &ret[proto]) < 0)
			return -1;
	}
	return 0;
}

int net_table_build(struct arena *a, const struct net_rules *rules, struct net_table *ret)
{
	struct set_build b = { .a = a };
	struct net_table t = {
		.has_ceiling = rules->n_ceiling > 0,
		.local_literals = rules->local_literals,
	};

	if (build_sets(&b, rules->deny, rules->n_deny, ALL, t.deny) < 0 ||
		build_sets(&b, rules->ceiling, rules->n_ceiling, ALL, t.ceiling) < 0 ||
		build_sets(&b, rules->allow, rules->n_allow, WIDE, t.wide) < 0 ||
		build_sets(&b, rules->allow, rules->n_allow, LITERAL, t.literal) < 0)
		return -1;
	*ret = t;
	return 0;
}

static const struct net_ports *find_port(const struct net_ports *p, size_t n, uint16_t port)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p[mid].last < port)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && p[lo].first <= port ? &p[lo] : NULL;
}

static const struct net_ports *find_ports(const struct net_set *set, const struct net_dest *d)
{
	const struct net_span *spans = set->family[d->v6].spans;
	size_t lo = 0, hi = set->family[d->v6].n, n = hi;
	const struct net_ports *p = NULL;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (spans[mid].last < d->addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < n && spans[lo].first <= d->addr)
		p = find_port(spans[lo].ports, spans[lo].n_ports, d->port);
	return p ? p : find_port(set->any, set->n_any, d->port);
}

bool net_is_special(bool v6, net_addr addr)
{
	uint8_t bytes[16];

	net_addr_to_bytes(addr, v6, bytes);
	return special_address(bytes, v6);
}

static bool net_is_loopback(const struct net_dest *d)
{
	uint8_t bytes[16];

	net_addr_to_bytes(d->addr, d->v6, bytes);
	return special_loopback(bytes, d->v6);
}

void net_unmap(struct net_dest *d)
{
	if (d->v6 && d->addr >> 32 == 0xffff) {
		d->v6 = false;
		d->addr &= 0xffffffff;
	}
}

void net_normalise(struct net_dest *d)
{
	net_unmap(d);
	if (d->addr == 0)
		d->addr = d->v6 ? 1 : 0x7f000001;
}

static struct net_answer make_answer(enum net_decision decision, enum net_reason reason)
{
	return (struct net_answer){ .decision = decision, .reason = reason };
}

static struct net_answer by_rule(enum net_decision decision, const struct net_ports *p)
{
	return (struct net_answer){ decision, NET_BY_RULE, p->rule };
}

size_t net_inside(const struct net_dest *d, struct net_dest ret[EMBEDDED_MAX])
{
	struct embedded e[EMBEDDED_MAX];
	uint8_t bytes[16];
	size_t n;

	if (!d->v6)
		return 0;
	net_addr_to_bytes(d->addr, true, bytes);
	n = embedded_find(bytes, 128, e);
	for (size_t i = 0; i < n; i++)
		ret[i] = (struct net_dest){ .proto = d->proto, .addr = e[i].addr, .port = d->port };
	return n;
}

struct net_answer net_judge(const struct net_table *t, const struct net_dest *d)
{
	bool local = d->own || d->own_inside || net_is_special(d->v6, d->addr);
	const struct net_ports *p = find_ports(&t->deny[d->proto], d);
	struct net_dest inside[EMBEDDED_MAX];

	for (size_t i = net_inside(d, inside); i > 0 && !p; i--) {
		local |= net_is_special(false, inside[i - 1].addr);
		p = find_ports(&t->deny[d->proto], &inside[i - 1]);
	}
	if (p)
		return by_rule(NET_DENIED, p);
	/* The node's ceiling is not about listeners of the pod itself. */
	if (!local || t->local_literals) {
		p = find_ports(&t->literal[d->proto], d);
		if (!p && !local)
			p = find_ports(&t->wide[d->proto], d);
		if (p && t->has_ceiling && !find_ports(&t->ceiling[d->proto], d))
			return make_answer(NET_DENIED, NET_BY_CEILING);
		if (p)
			return by_rule(NET_ALLOWED, p);
	}
	if (net_is_loopback(d) || d->here)
		return make_answer(NET_ASK_OWNER, NET_BY_LOCAL);
	return make_answer(NET_DENIED, local ? NET_BY_LOCAL : NET_BY_DEFAULT);
}
