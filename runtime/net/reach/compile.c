/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns the plan's rules into numbered rules for the tables. The name of a host is replaced by its
 * addresses. Such rules are wide: whoever controls the name must not be able to open an address of
 * the node.
 */
#include <string.h>

#include "runtime/net/reach/reach.h"
#include "runtime/plan/net.h"

struct out {
	struct arena *a;
	struct net_rule *rules;
	size_t n;
	size_t cap;
};

struct texts {
	const char **items;
	size_t n;
};

static enum net_proto proto_of(const struct rule_net *r)
{
	switch (r->proto) {
	case RULE_NET_TCP: return NET_TCP;
	case RULE_NET_UDP: return NET_UDP;
	case RULE_NET_ICMP:
	case RULE_NET_PROTOS: break;
	}
	return NET_ICMP;
}

static void add_net_rule(struct out *o, struct net_rule r)
{
	if (o->n == o->cap) {
		size_t cap = o->cap ? 2 * o->cap : 64;
		struct net_rule *bigger = arena_array(o->a, cap, sizeof(*bigger));

		if (o->n > 0)
			memcpy(bigger, o->rules, o->n * sizeof(*bigger));
		o->rules = bigger;
		o->cap = cap;
	}
	o->rules[o->n++] = r;
}

static void add_host(
	struct out *o, struct net_rule r, const struct plan_net *plan, const char *name)
{
	for (size_t i = 0; i < plan->n_hosts; i++) {
		const struct plan_net_host *h = &plan->hosts[i];

		for (size_t k = 0; strcmp(h->name, name) == 0 && k < h->n_addrs; k++) {
			r.v6 = h->addrs[k].v6;
			r.prefix = r.v6 ? 128 : 32;
			r.addr = net_addr_from_bytes(h->addrs[k].bytes, r.v6);
			add_net_rule(o, r);
		}
	}
}

static void add_rule(
	struct out *o, const struct rule_net *rule, uint32_t number, const struct plan_net *plan)
{
	struct net_ports *ports = arena_array(o->a, rule->n_ports + 1, sizeof(*ports));
	struct net_rule r = {
		.proto = proto_of(rule),
		.any = rule->target == RULE_NET_ANY,
		.v6 = rule->target == RULE_NET_V6,
		.prefix = rule->prefix,
		.ports = ports,
		.n_ports = rule->n_ports,
		.number = number,
		.wide = rule->target == RULE_NET_HOST,
	};

	for (size_t i = 0; i < rule->n_ports; i++)
		ports[i] = (struct net_ports){ rule->ports[i].first, rule->ports[i].last, number };
	if (rule->target == RULE_NET_HOST) {
		add_host(o, r, plan, rule->host);
		return;
	}
	if (!r.any)
		r.addr = net_addr_from_bytes(rule->addr, r.v6);
	add_net_rule(o, r);
}

static uint32_t name_rule(
	struct texts *t, struct arena *a, const char *kind, const struct rule_net *rule)
{
	t->items[t->n] = arena_printf(a, "%s %s", kind, rule_net_render_rule(a, rule));
	return (uint32_t)t->n++;
}

static void add_list(struct out *o, struct texts *t, struct arena *a, const char *kind,
	const struct rule_net_list *l, const struct plan_net *plan)
{
	for (size_t i = 0; i < l->n; i++)
		add_rule(o, &l->items[i], name_rule(t, a, kind, &l->items[i]), plan);
}

static void add_node(struct out *o, struct texts *t, struct arena *a, const char *kind,
	const struct node_net_rules *l, const struct plan_net *plan)
{
	for (size_t i = 0; i < l->n; i++)
		add_rule(o, &l->items[i].rule, name_rule(t, a, kind, &l->items[i].rule), plan);
}

int net_compile(struct arena *a, const struct plan_net *plan, struct reach *r, struct sl_err *err)
{
	auto_arena struct arena *scratch = arena_new();
	struct out allow = { .a = scratch }, deny = { .a = scratch }, ceiling = { .a = scratch };
	struct texts texts = { .items = arena_array(a,
				       plan->allow.n + plan->deny.n + plan->node_deny.n +
					       plan->node_ceiling.n + 1,
				       sizeof(*texts.items)) };
	struct net_rules rules = { .local_literals = plan->local_rules };

	add_node(&deny, &texts, a, "node deny", &plan->node_deny, plan);
	add_list(&deny, &texts, a, "deny", &plan->deny, plan);
	add_list(&allow, &texts, a, "allow", &plan->allow, plan);
	add_node(&ceiling, &texts, a, "ceiling", &plan->node_ceiling, plan);
	rules.allow = allow.rules;
	rules.n_allow = allow.n;
	rules.deny = deny.rules;
	rules.n_deny = deny.n;
	rules.ceiling = ceiling.rules;
	rules.n_ceiling = ceiling.n;
	if (net_table_build(a, &rules, &r->table) < 0)
		return sl_err_set(err, 0, "network rules: too many ports in too many networks");
	r->rules = texts.items;
	return 0;
}
