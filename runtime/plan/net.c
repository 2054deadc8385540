/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/plan/net.h"

#include <arpa/inet.h>
#include <string.h>

#include "runtime/base/embedded.h"
#include "runtime/base/special.h"
#include "runtime/plan/stack.h"

#define KEY_ALLOW      "network.allow"
#define KEY_HTTP_RULES "http.allow"
#define ANNOTATION     "annotation io.sandlock."

/* Host names are looked up at create, with one time limit for all. */
#define HOSTS_MAX 64

/* Whether every address of the inner rule belongs to the outer one. */
static bool targets_within(const struct rule_net *in, const struct rule_net *out)
{
	switch (out->target) {
	case RULE_NET_ANY: return true;
	case RULE_NET_HOST: return in->target == RULE_NET_HOST && strcmp(in->host, out->host) == 0;
	case RULE_NET_V4:
	case RULE_NET_V6: break;
	}
	return in->target == out->target && in->prefix >= out->prefix &&
	       special_same_bits(in->addr, out->addr, out->prefix);
}

static bool ports_within(const struct rule_net *in, const struct rule_net *out)
{
	if (out->n_ports == 0)
		return true;
	for (size_t i = 0; i < in->n_ports; i++) {
		bool found = false;

		for (size_t k = 0; k < out->n_ports; k++)
			found |= out->ports[k].first <= in->ports[i].first &&
				 in->ports[i].last <= out->ports[k].last;
		if (!found)
			return false;
	}
	return in->n_ports > 0;
}

static bool rule_within(const struct rule_net *in, const struct rule_net *out)
{
	return in->proto == out->proto && targets_within(in, out) && ports_within(in, out);
}

/* Addresses that only a rule with exactly this address opens, see runtime/net/reach/verdict.h. */
static bool is_local_rule(const struct rule_net *r)
{
	return (r->target == RULE_NET_V4 || r->target == RULE_NET_V6) &&
	       special_network(r->addr, r->target == RULE_NET_V6, r->prefix);
}

/* The IPv4 networks that a rule also reaches through translators and tunnels, as rules. */
static size_t rules_inside(const struct rule_net *r, struct rule_net ret[EMBEDDED_MAX])
{
	struct embedded e[EMBEDDED_MAX];
	size_t n = r->target == RULE_NET_V6 ? embedded_find(r->addr, r->prefix, e) : 0;

	for (size_t i = 0; i < n; i++) {
		const uint32_t addr = htonl(e[i].addr);

		ret[i] = *r;
		ret[i].target = RULE_NET_V4;
		memcpy(ret[i].addr, &addr, sizeof(addr));
		ret[i].prefix = (uint8_t)e[i].prefix;
	}
	return n;
}

static bool opens_local(const struct rule_net *r)
{
	struct rule_net inside[EMBEDDED_MAX];
	bool local = is_local_rule(r);

	for (size_t i = rules_inside(r, inside); i > 0; i--)
		local |= is_local_rule(&inside[i - 1]);
	return local;
}

static bool opens_within(const struct rule_net *r, const struct rule_net *out)
{
	struct rule_net inside[EMBEDDED_MAX];
	bool within = rule_within(r, out);

	for (size_t i = rules_inside(r, inside); i > 0; i--)
		within |= rule_within(&inside[i - 1], out);
	return within;
}

static int check_rule(struct arena *a, const char *key, const struct rule_net *r,
	const struct node_policy *node, struct sl_err *err)
{
	const struct node_net_rules *top = &node->net_ceiling;

	if (!node->net_local_rules && opens_local(r))
		return sl_err_set(err, 0,
			ANNOTATION "%s: \"%s\": the node policy lets no rule open "
				   "loopback, link-local or multicast addresses "
				   "(network.localRules = refuse); what its own pod has bound is "
				   "reachable without a rule",
			key, rule_net_render_rule(a, r));
	for (size_t i = 0; i < node->net_deny.n; i++)
		if (opens_within(r, &node->net_deny.items[i].rule))
			return sl_err_set(err, 0,
				ANNOTATION "%s: \"%s\" is always denied by the node policy "
					   "(network.deny, line %zu: \"%s\")",
				key, rule_net_render_rule(a, r), node->net_deny.items[i].line,
				rule_net_render_rule(a, &node->net_deny.items[i].rule));
	if (top->n == 0 || r->target == RULE_NET_HOST) /* a host name is judged by its addresses */
		return 0;
	for (size_t i = 0; i < top->n; i++)
		if (rule_within(r, &top->items[i].rule))
			return 0;
	return sl_err_set(err, 0,
		ANNOTATION "%s: \"%s\" is beyond what the node policy allows "
			   "(network.ceiling, line %zu)",
		key, rule_net_render_rule(a, r), top->line);
}

static int check_rules(struct arena *a, const char *key, const struct rule_net_list *l,
	const struct node_policy *node, struct sl_err *err)
{
	for (size_t i = 0; i < l->n; i++)
		if (check_rule(a, key, &l->items[i], node, err) < 0)
			return -1;
	return 0;
}

static int note_host(struct plan_net *p, const char *name, const char *key, struct sl_err *err)
{
	for (size_t k = 0; k < p->n_hosts; k++)
		if (strcmp(p->hosts[k].name, name) == 0)
			return 0;
	if (p->n_hosts == HOSTS_MAX)
		return sl_err_set(err, 0, ANNOTATION "%s: more than %d host names", key, HOSTS_MAX);
	p->hosts[p->n_hosts++] = (struct plan_net_host){ .name = name, .key = key };
	return 0;
}

static int note_hosts(
	struct plan_net *p, const struct rule_net_list *l, const char *key, struct sl_err *err)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->items[i].target == RULE_NET_HOST &&
			note_host(p, l->items[i].host, key, err) < 0)
			return -1;
	return 0;
}

static int collect_hosts(
	struct arena *a, const struct plan_net_http *http, struct plan_net *p, struct sl_err *err)
{
	p->hosts = arena_array(a, HOSTS_MAX, sizeof(*p->hosts));
	if (note_hosts(p, &p->allow, KEY_ALLOW, err) < 0 ||
		note_hosts(p, &http->opens, KEY_HTTP_RULES, err) < 0)
		return -1;
	for (size_t i = 0; i < http->n_names; i++)
		if (note_host(p, http->names[i].name, http->names[i].key, err) < 0)
			return -1;
	return 0;
}

static struct rule_net_list join_rules(
	struct arena *a, const struct rule_net_list *x, const struct rule_net_list *y)
{
	struct rule_net *items = arena_array(a, x->n + y->n + 1, sizeof(*items));

	if (x->n)
		memcpy(items, x->items, x->n * sizeof(*items));
	if (y->n)
		memcpy(items + x->n, y->items, y->n * sizeof(*items));
	return (struct rule_net_list){ items, x->n + y->n };
}

/* Denies UDP to the ports of HTTP rules: nobody would check such a request. */
static void deny_unjudged(struct arena *a, const struct plan_net_http *http, struct plan_net *p)
{
	struct rule_net items[2],
		r = { .target = RULE_NET_ANY, .ports = http->ports, .n_ports = http->n_ports };
	struct rule_net_list more = { items, 0 };
	bool allowed[RULE_NET_PROTOS] = { false };

	if (!http->on)
		return;
	for (size_t i = 0; i < p->allow.n; i++)
		allowed[p->allow.items[i].proto] = true;
	for (r.proto = RULE_NET_TCP; r.proto <= RULE_NET_UDP; r.proto++)
		if (allowed[r.proto] && (r.proto == RULE_NET_UDP || http->closed))
			items[more.n++] = r;
	p->deny = join_rules(a, &p->deny, &more);
}

/* The allow rules of a bundle that has only deny rules, or none. */
static struct rule_net_list default_allow(
	struct arena *a, bool everything, const struct node_policy *node)
{
	struct rule_net *items;

	if (everything) {
		items = arena_array(a, RULE_NET_PROTOS, sizeof(*items));
		for (enum rule_net_proto proto = 0; proto < RULE_NET_PROTOS; proto++)
			items[proto] = (struct rule_net){ .proto = proto, .target = RULE_NET_ANY };
		return (struct rule_net_list){ items, RULE_NET_PROTOS };
	}
	items = arena_array(a, node->net_default.n + 1, sizeof(*items));
	for (size_t i = 0; i < node->net_default.n; i++)
		items[i] = node->net_default.items[i].rule;
	return (struct rule_net_list){ items, node->net_default.n };
}

/* Landlock alone enforces the rules if it can express all of them. */
static void choose_mode(struct arena *a, bool by_landlock, struct plan_net *p)
{
	struct rule_ports *ports;
	size_t n = 0;
	bool only_ports = p->deny.n == 0 && p->node_deny.n == 0 && p->node_ceiling.n == 0;

	/* Not if ports are replaced: then a port number can mean another port of the pod. */
	p->mode = p->allow.n ? PLAN_NET_ASK : PLAN_NET_OWN;
	for (size_t i = 0; i < p->allow.n; i++) {
		const struct rule_net *r = &p->allow.items[i];

		p->udp |= r->proto == RULE_NET_UDP;
		p->ping |= r->proto == RULE_NET_ICMP;
		only_ports &= r->proto == RULE_NET_TCP && r->target == RULE_NET_ANY;
		p->connect_any |= r->n_ports == 0;
		n += r->n_ports;
	}
	if (p->mode != PLAN_NET_ASK || p->remap || !only_ports || !by_landlock) {
		p->connect_any = false;
		return;
	}
	p->mode = PLAN_NET_LANDLOCK;
	ports = arena_array(a, n + 1, sizeof(*ports));
	for (size_t i = 0; i < p->allow.n; i++)
		for (size_t k = 0; k < p->allow.items[i].n_ports; k++)
			ports[p->n_connect_ports++] = p->allow.items[i].ports[k];
	p->n_connect_ports = rule_ports_merge(ports, n);
	p->connect_ports = ports;
}

int plan_net_build(struct arena *a, const struct annotations *an, const struct plan_net_http *http,
	const struct spec *spec, const struct node_policy *node, struct plan_net *ret,
	struct sl_err *err)
{
	struct plan_net p = {
		.allow = an->network_allow,
		.deny = an->network_deny,
		.node_deny = node->net_deny,
		.node_ceiling = node->net_ceiling,
		.local_rules = node->net_local_rules,
	};

	if (plan_net_stack(a, spec, node, &p, err) < 0 ||
		check_rules(a, KEY_ALLOW, &p.allow, node, err) < 0 ||
		check_rules(a, KEY_HTTP_RULES, &http->opens, node, err) < 0)
		return -1;
	if (p.allow.n == 0 && (p.deny.n > 0 || http->opens.n == 0))
		p.allow = default_allow(a, p.deny.n > 0, node);
	if (collect_hosts(a, http, &p, err) < 0)
		return -1;
	p.allow = join_rules(a, &p.allow, &http->opens);
	deny_unjudged(a, http, &p);
	if (plan_net_bind(a, an, &spec->linux_, node, &p, err) < 0)
		return -1;
	choose_mode(a, node->net_ports_by_landlock && !http->on, &p);
	*ret = p;
	return 0;
}

static bool host_reaches(const struct plan_net *p, const char *name, bool v6)
{
	for (size_t i = 0; i < p->n_hosts; i++) {
		const struct plan_net_host *h = &p->hosts[i];

		for (size_t k = 0; strcmp(h->name, name) == 0 && k < h->n_addrs; k++)
			if (h->addrs[k].v6 == v6 && !special_loopback(h->addrs[k].bytes, v6))
				return true;
	}
	return false;
}

bool plan_net_reaches(const struct plan_net *p, bool v6)
{
	for (size_t i = 0; i < p->allow.n; i++) {
		const struct rule_net *r = &p->allow.items[i];

		if (r->target == RULE_NET_ANY ||
			(r->target == RULE_NET_HOST && host_reaches(p, r->host, v6)) ||
			(r->target == (v6 ? RULE_NET_V6 : RULE_NET_V4) &&
				!special_loopback(r->addr, v6)))
			return true;
	}
	return false;
}

static void print_view(const struct plan_net *p, FILE *out)
{
	if (p->view)
		fprintf(out, "%-7s %-40s %-12s %s\n", "show",
			p->allow.n ? "lo; eth0 where rules lead out" : "lo", "supervisor",
			"route sockets, SIOCGIF*; the host's interfaces are not seen");
}

static void print_rules(struct arena *a, const struct rule_net_list *l, const char *what,
	const char *rung, const char *how, FILE *out)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct rule_net *r = &l->items[i];

		fprintf(out, "%-7s %-40s %-12s %s%s\n", what, rule_net_render_rule(a, r), rung, how,
			r->target == RULE_NET_HOST ? ", on the addresses it has at create" : "");
	}
}

static void print_node(
	struct arena *a, const struct node_net_rules *rules, const char *what, FILE *out)
{
	for (size_t i = 0; i < rules->n; i++)
		fprintf(out, "%-7s %-40s %-12s node policy, line %zu\n", what,
			rule_net_render_rule(a, &rules->items[i].rule), "supervisor",
			rules->items[i].line);
}

static void print_own(FILE *out)
{
	fprintf(out, "%-7s %-40s %-12s %s\n", "allow", "loopback ports of its own pod",
		"supervisor", "connect");
}

void plan_net_print(struct arena *a, const struct plan_net *p, FILE *out)
{
	fprintf(out, "\n%-7s %-40s %-12s %s\n", "NETWORK", "", "RUNG", "HOW");
	plan_net_print_stack(p, out);
	switch (p->mode) {
	case PLAN_NET_OWN:
		print_own(out);
		fprintf(out, "%-7s %-40s %-12s %s\n", "deny", "everything else", "supervisor",
			"TCP connect: EACCES");
		break;
	case PLAN_NET_LANDLOCK:
		print_rules(a, &p->allow, "allow", "landlock",
			"no trap; the node's own addresses are not told apart", out);
		break;
	case PLAN_NET_ASK:
		print_node(a, &p->node_deny, "deny", out);
		print_node(a, &p->node_ceiling, "ceiling", out);
		print_rules(a, &p->deny, "deny", "supervisor", "connect and sends to it", out);
		print_rules(a, &p->allow, "allow", "supervisor",
			p->udp || p->ping ? "connect, sendto with an address, sendmsg, sendmmsg"
					  : "connect",
			out);
		print_own(out);
		break;
	}
	if (!p->udp)
		fprintf(out, "%-7s %-40s %-12s %s\n", "deny", "udp", "seccomp",
			p->view ? "a socket carries nothing" : "no datagram socket");
	plan_net_print_bind(a, p, out);
	print_view(p, out);
}
