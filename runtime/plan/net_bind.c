/* SPDX-License-Identifier: Apache-2.0
 *
 * What a container may bind. On a stack that is shared with the host and other pods the supervisor
 * binds, because the kernel lets any two sockets of one user share a port (SO_REUSEPORT,
 * socket(7)). On a stack of the pod's own there is nobody else to share with.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/plan/net.h"

#define KEY_ALLOW_BIND "io.sandlock.network.allow_bind"
#define KEY_DENY_BIND  "io.sandlock.network.deny_bind"
#define KEY_REMAP      "io.sandlock.network.port_remap"
#define SYSCTL_START   "net.ipv4.ip_unprivileged_port_start"

/* Permits all ports but the denied ones. */
static void all_but(struct arena *a, const struct rule_bind *deny, struct plan_net *p)
{
	struct rule_ports *left = arena_array(a, deny->n + 1, sizeof(*left));
	unsigned int from = 0;

	for (size_t i = 0; i <= deny->n; i++) {
		unsigned int to = i < deny->n ? deny->ports[i].first : UINT16_MAX + 1U;

		if (from < to)
			left[p->n_bind_ports++] =
				(struct rule_ports){ (uint16_t)from, (uint16_t)(to - 1) };
		if (i < deny->n)
			from = deny->ports[i].last + 1U;
	}
	p->bind_limited = true;
	p->bind_ports = left;
}

static int choose_remap(const struct annotations *an, const struct node_policy *node,
	struct plan_net *p, struct sl_err *err)
{
	const enum rule_switch asked = an->network_port_remap;

	if (asked == RULE_TRUE && node->net_port_remap == NODE_REMAP_REFUSE)
		return sl_err_set(err, 0,
			"annotation " KEY_REMAP ": \"true\": the node policy replaces no ports "
			"(network.portRemap = refuse, line %zu)",
			node->net_port_remap_line);
	/* On a stack of the pod's own no other pod can take a port. */
	p->remap = p->bind_judged &&
		   (asked == RULE_TRUE ||
			   (asked == RULE_UNSET && node->net_port_remap == NODE_REMAP_DEFAULT));
	p->remap_range = node->net_port_range;
	return 0;
}

static int read_start(const struct spec_linux *spec, struct plan_net *p, struct sl_err *err)
{
	for (size_t i = 0; i < spec->n_sysctl; i++) {
		const char *text = spec->sysctl[i].value;
		char *end;
		unsigned long v;

		if (strcmp(spec->sysctl[i].key, SYSCTL_START) != 0)
			continue;
		v = strtoul(text, &end, 10);
		if (end == text || *end || v > UINT16_MAX)
			return sl_err_set(err, 0,
				"linux.sysctl." SYSCTL_START
				": \"%s\": expected a number from 0 to 65535",
				text);
		p->has_unprivileged_start = true;
		p->unprivileged_start = (uint16_t)v;
	}
	return 0;
}

int plan_net_bind(struct arena *a, const struct annotations *an, const struct spec_linux *spec,
	const struct node_policy *node, struct plan_net *p, struct sl_err *err)
{
	const struct rule_bind *allow = &an->network_allow_bind, *deny = &an->network_deny_bind;

	if ((allow->any || allow->n > 0) && deny->n > 0)
		return sl_err_set(err, 0,
			"annotations " KEY_ALLOW_BIND " and " KEY_DENY_BIND " exclude each other");
	if (allow->n > 0) {
		p->bind_limited = true;
		p->bind_ports = allow->ports;
		p->n_bind_ports = allow->n;
		p->bind_any_free = allow->ports[0].first == 0;
	}
	if (deny->n > 0)
		all_but(a, deny, p);
	p->bind_judged = !p->own_stack;
	if (read_start(spec, p, err) < 0)
		return -1;
	return choose_remap(an, node, p, err);
}

static void print_bind_line(FILE *out, const char *what, const char *rung, const char *how)
{
	fprintf(out, "%-7s %-40s %-12s %s\n", "bind", what, rung, how);
}

void plan_net_print_bind(struct arena *a, const struct plan_net *p, FILE *out)
{
	const struct rule_bind bind = { p->bind_ports, p->n_bind_ports, false };
	const char *text = rule_bind_render(a, &bind);

	if (p->bind_limited)
		print_bind_line(out, text ? text : "nothing",
			p->bind_judged ? "supervisor" : "landlock",
			p->bind_judged ? "TCP ports; bind" : "TCP ports; no trap");
	if (p->bind_judged)
		print_bind_line(out, "ports of others", "supervisor",
			p->remap ? "replaced by a free one" : "EADDRINUSE, shared with nobody");
	if (p->bind_judged)
		print_bind_line(out, "abstract unix names", "supervisor",
			"EPERM, but for names that the kernel chooses");
	if (p->remap) {
		char range[16];

		snprintf(range, sizeof(range), "%u-%u", p->remap_range.first, p->remap_range.last);
		print_bind_line(out, range, "supervisor",
			"real ports; getsockname, getpeername, accept and datagrams are told the "
			"others");
	}
}
