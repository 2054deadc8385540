/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables against an evaluator that looks at one rule after the other, on random rules
 * and addresses; then the cases that have gone wrong elsewhere; then many networks.
 */
#include "runtime/net/reach/verdict.h"

#include <arpa/inet.h>
#include <stdlib.h>

#include "tests/unit/check.h"

#define V4(a, b, c, d) ((net_addr)(a) << 24 | (b) << 16 | (c) << 8 | (d))

static uint64_t seed = 88172645463325252ULL;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Few different bits, so that rules meet each other and the destinations. */
static net_addr random_addr(bool v6)
{
	static const uint32_t tops[] = { 0x0a000000, 0x0a010000, 0x7f000000, 0xa9fe0000, 0xc0a80000,
		0x00000000, 0xe0000000, 0xffffff00 };
	static const uint16_t tops6[] = { 0x2001, 0xfe80, 0xff02, 0, 0x2002, 0xfd00 };
	net_addr low = rnd() % 4 == 0 ? rnd() & 0xffff : rnd() & 3;

	if (!v6)
		return tops[rnd() % 8] | low;
	return (net_addr)tops6[rnd() % 6] << 112 | (rnd() % 3 == 0 ? (net_addr)0xffff << 32 : 0) |
	       low;
}

static net_addr mask(const struct net_rule *r)
{
	unsigned int free_bits = (r->v6 ? 128 : 32) - r->prefix;

	return free_bits >= 128 ? 0 : ~(((net_addr)1 << free_bits) - 1);
}

static struct net_rule random_rule(struct net_ports *ports, uint32_t number)
{
	struct net_rule r = {
		.proto = (enum net_proto)(rnd() % NET_PROTOS),
		.any = rnd() % 8 == 0,
		.v6 = rnd() % 2,
		.number = number,
		.wide = rnd() % 8 == 0,
		.ports = ports,
	};
	unsigned int bits = r.v6 ? 128 : 32;

	r.prefix = rnd() % 3 == 0 ? bits : (unsigned int)(rnd() % (bits + 1));
	r.addr = random_addr(r.v6) & mask(&r);
	if (!r.v6)
		r.addr &= 0xffffffff;
	r.n_ports = rnd() % 4;
	for (size_t i = 0; i < r.n_ports; i++) {
		ports[i].first = (uint16_t)(rnd() % 12);
		ports[i].last = (uint16_t)(ports[i].first + rnd() % 4);
	}
	return r;
}

static bool matches(const struct net_rule *r, const struct net_dest *d)
{
	if (r->proto != d->proto)
		return false;
	if (!r->any && (r->v6 != d->v6 || (d->addr & mask(r)) != r->addr))
		return false;
	for (size_t i = 0; i < r->n_ports; i++)
		if (r->ports[i].first <= d->port && d->port <= r->ports[i].last)
			return true;
	return r->n_ports == 0;
}

static bool any_matches(const struct net_rule *r, size_t n, const struct net_dest *d)
{
	for (size_t i = 0; i < n; i++)
		if (matches(&r[i], d))
			return true;
	return false;
}

static bool literal(const struct net_rule *r)
{
	net_addr last = r->addr | (~mask(r) & (r->v6 ? ~(net_addr)0 : 0xffffffff));

	return !r->any && !r->wide &&
	       (r->prefix == (r->v6 ? 128U : 32U) ||
		       (r->prefix >= 4 && net_is_special(r->v6, r->addr) &&
			       net_is_special(r->v6, last)));
}

static enum net_decision naive(const struct net_rules *rs, const struct net_dest *d)
{
	bool local = d->own || net_is_special(d->v6, d->addr);
	bool loopback = d->v6 ? d->addr == 1 : d->addr >> 24 == 127;
	bool allowed = false;

	struct net_dest inside[EMBEDDED_MAX];

	if (any_matches(rs->deny, rs->n_deny, d))
		return NET_DENIED;
	for (size_t i = net_inside(d, inside); i > 0; i--) {
		local |= net_is_special(false, inside[i - 1].addr);
		if (any_matches(rs->deny, rs->n_deny, &inside[i - 1]))
			return NET_DENIED;
	}
	for (size_t i = 0; i < rs->n_allow; i++)
		if (matches(&rs->allow[i], d) &&
			(local ? rs->local_literals && literal(&rs->allow[i]) : true))
			allowed = true;
	if (allowed)
		return rs->n_ceiling == 0 || any_matches(rs->ceiling, rs->n_ceiling, d)
			       ? NET_ALLOWED
			       : NET_DENIED;
	return loopback ? NET_ASK_OWNER : NET_DENIED;
}

#define RULES 40

static bool property_round(struct arena *a)
{
	static struct net_ports ports[3 * RULES][3];
	struct net_rule rules[3 * RULES];
	struct net_rules rs = { .local_literals = rnd() % 2 };
	struct net_table t;

	for (size_t i = 0; i < 3 * RULES; i++)
		rules[i] = random_rule(ports[i], (uint32_t)i);
	rs.allow = rules;
	rs.n_allow = rnd() % RULES;
	rs.deny = rules + RULES;
	rs.n_deny = rnd() % 4;
	rs.ceiling = rules + 2 * RULES;
	rs.n_ceiling = rnd() % 2 ? rnd() % RULES : 0;
	if (net_table_build(a, &rs, &t) < 0)
		return false;
	for (int i = 0; i < 400; i++) {
		struct net_dest d = {
			.proto = (enum net_proto)(rnd() % NET_PROTOS),
			.v6 = rnd() % 2,
			.port = (uint16_t)(rnd() % 16),
			.own = rnd() % 16 == 0,
		};
		struct net_answer got;

		d.addr = random_addr(d.v6);
		net_normalise(&d);
		got = net_judge(&t, &d);
		if (got.decision != naive(&rs, &d))
			return false;
		if (got.decision == NET_ALLOWED && !matches(&rules[got.rule], &d))
			return false;
	}
	return true;
}

static void properties(void)
{
	int good = 0;

	for (int i = 0; i < 2000; i++) {
		auto_arena struct arena *a = arena_new();

		good += property_round(a);
	}
	CHECK(good == 2000);
}

static enum net_decision ask(const struct net_table *t, bool v6, net_addr addr, uint16_t port)
{
	struct net_dest d = { .proto = NET_TCP, .v6 = v6, .addr = addr, .port = port };

	net_normalise(&d);
	return net_judge(t, &d).decision;
}

static void spellings(void)
{
	auto_arena struct arena *a = arena_new();
	const struct net_ports p80 = { 80, 80, 0 };
	const struct net_rule allow[] = {
		{ .proto = NET_TCP, .any = true, .ports = &p80, .n_ports = 1, .number = 0 },
		{ .proto = NET_TCP, .addr = V4(127, 0, 0, 2), .prefix = 32, .number = 1 },
		{ .proto = NET_TCP, .addr = V4(127, 0, 0, 3), .prefix = 32, .wide = true },
	};
	struct net_rules rs = { .allow = allow, .n_allow = 3, .local_literals = true };
	net_addr mapped = (net_addr)0xffff << 32;
	struct net_dest own = { .proto = NET_TCP, .addr = V4(10, 0, 0, 1), .port = 80 };
	struct net_table t;

	CHECK(net_table_build(a, &rs, &t) == 0);
	CHECK(ask(&t, false, V4(192, 0, 2, 1), 80) == NET_ALLOWED);
	CHECK(ask(&t, true, mapped | V4(192, 0, 2, 1), 80) == NET_ALLOWED);
	CHECK(ask(&t, false, V4(192, 0, 2, 1), 81) == NET_DENIED);
	CHECK(ask(&t, false, V4(127, 0, 0, 1), 80) == NET_ASK_OWNER);
	CHECK(ask(&t, false, 0, 80) == NET_ASK_OWNER);
	CHECK(ask(&t, true, 0, 80) == NET_ASK_OWNER);
	CHECK(ask(&t, true, 1, 80) == NET_ASK_OWNER);
	CHECK(ask(&t, true, mapped, 80) == NET_ASK_OWNER);
	CHECK(ask(&t, true, mapped | V4(127, 0, 0, 1), 80) == NET_ASK_OWNER);
	CHECK(ask(&t, false, V4(169, 254, 169, 254), 80) == NET_DENIED);
	CHECK(ask(&t, true, (net_addr)0xfe80 << 112 | 1, 80) == NET_DENIED);
	CHECK(ask(&t, false, V4(224, 0, 0, 1), 80) == NET_DENIED);
	CHECK(ask(&t, false, 0xffffffff, 80) == NET_DENIED);
	CHECK(ask(&t, false, V4(127, 0, 0, 2), 5432) == NET_ALLOWED);
	CHECK(ask(&t, false, V4(127, 0, 0, 3), 5432) == NET_ASK_OWNER);
	CHECK(net_judge(&t, &own).decision == NET_ALLOWED);
	own.own = true;
	CHECK(net_judge(&t, &own).decision == NET_DENIED);
	CHECK(net_judge(&t, &own).reason == NET_BY_LOCAL);
}

static net_addr v6(const char *text)
{
	uint8_t bytes[16];

	CHECK(inet_pton(AF_INET6, text, bytes) == 1);
	return net_addr_from_bytes(bytes, true);
}

/* Every way to write 10.77.0.3, which is denied, and 169.254.169.254 in a v6 address. */
static void carried(void)
{
	static const char *const denied[] = { "::ffff:10.77.0.3", "64:ff9b::a4d:3",
		"64:ff9b:1::a4d:3",
		"64:ff9b:1:a4d:0:300::", "64:ff9b:1:a:4d:3::", "64:ff9b:1:0:a:4d00:300:0",
		"64:ff9b:1:fffe::a4d:3", "2002:a4d:3::1", "2001:0:a4d:3::f5b2:fffc",
		"2001:0:c000:201::f5b2:fffc", "2001:0:a4d:3::3fff:fdfe", "::10.77.0.3",
		"::ffff:0:10.77.0.3", "2001:db8::5efe:a4d:3", "2001:db8:1:2:200:5efe:a4d:3",
		"64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::", "::ffff:0:169.254.169.254",
		"64:ff9b::7f00:1", "64:ff9b::e000:1", "64:ff9b::" };
	static const char *const allowed[] = { "64:ff9b::c000:201", "64:ff9b:1::c000:201",
		"2002:c000:201::1", "2001:0:c000:201::3fff:fdfe", "::192.0.2.1",
		"::ffff:0:192.0.2.1", "2001:db8::5efe:c000:201", "2001:db8::a4d:3",
		"64:ff9c::a4d:3", "64:ff9b:2::a4d:3", "2003:a4d:3::1", "2001:1:a4d:3::1" };
	auto_arena struct arena *a = arena_new();
	const struct net_rule allow = { .proto = NET_TCP, .any = true };
	const struct net_rule deny = {
		.proto = NET_TCP, .addr = V4(10, 77, 0, 0), .prefix = 24, .number = 1
	};
	const struct net_rule metadata = {
		.proto = NET_TCP, .v6 = true, .addr = v6("64:ff9b::a9fe:a9fe"), .prefix = 128
	};
	struct net_rules rs = { .allow = &allow, .n_allow = 1, .deny = &deny, .n_deny = 1 };
	struct net_dest own = {
		.proto = NET_TCP, .v6 = true, .addr = v6("64:ff9b::c000:201"), .own_inside = true
	};
	struct net_table t;

	CHECK(net_table_build(a, &rs, &t) == 0);
	for (size_t i = 0; i < sizeof(denied) / sizeof(denied[0]); i++)
		CHECK(ask(&t, true, v6(denied[i]), 80) == NET_DENIED);
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		CHECK(ask(&t, true, v6(allowed[i]), 80) == NET_ALLOWED);
	CHECK(net_judge(&t, &own).decision == NET_DENIED);
	CHECK(net_judge(&t, &own).reason == NET_BY_LOCAL);
	rs.allow = &metadata;
	CHECK(net_table_build(a, &rs, &t) == 0);
	CHECK(ask(&t, true, metadata.addr, 80) == NET_DENIED);
	rs.local_literals = true;
	CHECK(net_table_build(a, &rs, &t) == 0);
	CHECK(ask(&t, true, metadata.addr, 80) == NET_ALLOWED);
}

static void many_networks(void)
{
	auto_arena struct arena *a = arena_new();
	const struct net_ports ports[] = { { 443, 443, 0 }, { 8000, 8100, 0 } };
	struct net_rule *allow = calloc(10000, sizeof(*allow));
	struct net_rules rs = { .allow = allow, .n_allow = 10000 };
	struct net_table t;

	for (uint32_t i = 0; i < 10000; i++)
		allow[i] = (struct net_rule){ .proto = NET_TCP,
			.addr = ((net_addr)11 << 24) + ((net_addr)i << 10),
			.prefix = 22 + i % 3,
			.ports = ports,
			.n_ports = 2,
			.number = i };
	CHECK(net_table_build(a, &rs, &t) == 0);
	CHECK(ask(&t, false, V4(11, 0, 0, 1), 443) == NET_ALLOWED);
	CHECK(ask(&t, false, V4(11, 0, 3, 255), 8050) == NET_ALLOWED);
	CHECK(ask(&t, false, V4(11, 0, 6, 1), 8050) == NET_DENIED);
	CHECK(ask(&t, false, V4(11, 156, 60, 1), 443) == NET_ALLOWED);
	CHECK(ask(&t, false, V4(11, 156, 64, 1), 443) == NET_DENIED);
	free(allow);
}

int main(void)
{
	properties();
	spellings();
	carried();
	many_networks();
	return check_done();
}
