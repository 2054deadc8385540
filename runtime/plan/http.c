/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/plan/http.h"

#include <arpa/inet.h>
#include <string.h>

#include "runtime/base/count.h"

#define KEY_HTTP   "annotation io.sandlock.http."
#define KEY_CONFIG "annotation io.sandlock.config."

static const struct rule_ports port_80[] = { { 80, 80 } };
static const struct rule_ports port_80_443[] = { { 80, 80 }, { 443, 443 } };

/* These keys have no effect without an HTTP rule, so that is a mistake. */
static int check_needed(const struct annotations *an, struct sl_err *err)
{
	const struct {
		const char *key;
		bool set;
	} keys[] = {
		{ KEY_HTTP "ports", an->http_ports.n > 0 },
		{ KEY_HTTP "auth", an->http_auth.n > 0 },
		{ KEY_CONFIG "credential", an->config_credential.n > 0 },
		{ KEY_CONFIG "http_ca", an->config_http_ca },
		{ KEY_CONFIG "http_key", an->config_http_key },
		{ KEY_CONFIG "http_ca_out", an->config_http_ca_out },
		{ KEY_CONFIG "http_inject_ca", an->config_http_inject_ca.n > 0 },
		{ KEY_CONFIG "http_ca_env", an->config_http_ca_env == RULE_TRUE },
	};

	for (size_t i = 0; i < COUNT(keys); i++)
		if (keys[i].set)
			return sl_err_set(err, 0,
				"%s: there is no HTTP rule; io.sandlock.http.allow or "
				"io.sandlock.http.deny makes one",
				keys[i].key);
	return 0;
}

/* Returns the part of the path below the directory, or NULL if the path is not below it. */
static const char *below_directory(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	while (n > 0 && dir[n - 1] == '/')
		n--;
	return strncmp(path, dir, n) == 0 && path[n] == '/' && path[n + 1] ? path + n + 1 : NULL;
}

/* A tenant writes these keys, and the runtime is root. So a file must be in the bundle, or in a
 * directory that the node permits. */
static int place_file(const struct plan_http_request *rq, const char *key, const char *path,
	struct plan_http_file *ret, struct sl_err *err)
{
	const char *rest;

	if (!path)
		return 0;
	rest = path[0] == '/' ? below_directory(path, rq->bundle) : path;
	if (rest) {
		*ret = (struct plan_http_file){ .base = rq->bundle, .path = rest };
		return 0;
	}
	for (char **dir = rq->node->http.paths; dir && *dir; dir++) {
		rest = below_directory(path, *dir);
		if (!rest)
			continue;
		*ret = (struct plan_http_file){ .base = *dir, .path = rest };
		return 0;
	}
	return sl_err_set(err, 0,
		KEY_CONFIG "%s: \"%.200s\" is outside the bundle (the node policy's "
			   "http.hostPaths accepts others)",
		key, path);
}

static int build_ca(const struct plan_http_request *rq, struct plan_http *p, struct sl_err *err)
{
	const struct annotations *an = rq->an;
	const bool inject = an->config_http_inject_ca.n > 0;

	if (!an->config_http_ca != !an->config_http_key)
		return sl_err_set(err, 0,
			KEY_CONFIG "%s: a CA is http_ca and http_key together, or neither",
			an->config_http_ca ? "http_ca" : "http_key");
	p->tls = an->config_http_ca || inject;
	if (an->config_http_ca_out && !p->tls)
		return sl_err_set(err, 0,
			KEY_CONFIG "http_ca_out: there is no CA; http_ca with http_key is one, and "
				   "http_inject_ca makes one");
	if (an->config_http_ca_env == RULE_TRUE && !inject)
		return sl_err_set(err, 0,
			KEY_CONFIG "http_ca_env: the variables name the first http_inject_ca, and "
				   "there is none");
	p->inject = an->config_http_inject_ca.items;
	p->n_inject = an->config_http_inject_ca.n;
	p->ca_env = an->config_http_ca_env == RULE_TRUE;
	if (place_file(rq, "http_ca", an->config_http_ca, &p->ca, err) < 0 ||
		place_file(rq, "http_key", an->config_http_key, &p->key, err) < 0)
		return -1;
	return place_file(rq, "http_ca_out", an->config_http_ca_out, &p->ca_out, err);
}

static void set_ports(const struct annotations *an, struct plan_http *p)
{
	if (an->http_ports.n > 0) {
		p->ports = an->http_ports.ports;
		p->n_ports = an->http_ports.n;
	} else {
		p->ports = p->tls ? port_80_443 : port_80;
		p->n_ports = p->tls ? 2 : 1;
	}
}

/* containerd and CRI-O give the annotations of a pod to its sandbox container too, whose image has
 * neither programs nor bundles of certificates. */
static bool is_sandbox(const struct spec *s)
{
	static const char *const keys[] = { "io.kubernetes.cri.container-type",
		"io.kubernetes.cri-o.ContainerType" };
	bool is = false;

	for (size_t i = 0; i < s->n_annotations; i++)
		for (size_t k = 0; k < COUNT(keys); k++)
			if (strcmp(s->annotations[i].key, keys[k]) == 0) {
				is = strcmp(s->annotations[i].value, "sandbox") == 0;
				if (!is)
					return false;
			}
	return is;
}

int plan_http_build(struct arena *a, const struct plan_http_request *rq, struct plan_http *ret,
	struct sl_err *err)
{
	const struct annotations *an = rq->an;
	struct plan_http p = {
		.needed = an->http_allow.n > 0 || an->http_deny.n > 0,
		.rules = { .allow = an->http_allow.items,
			.n_allow = an->http_allow.n,
			.deny = an->http_deny.items,
			.n_deny = an->http_deny.n },
		.limits = rq->node->http.limits,
		.trust = rq->node->http.ca_bundle,
	};

	*ret = (struct plan_http){ 0 };
	if (!p.needed)
		return check_needed(an, err);
	if (build_ca(rq, &p, err) < 0 || plan_http_credentials(a, rq, &p, err) < 0)
		return -1;
	set_ports(an, &p);
	p.closed = is_sandbox(rq->spec);
	p.needed = !p.closed;
	*ret = p;
	return 0;
}

/* Makes the host the target of a network rule. */
static void set_target(const char *host, struct rule_net *r)
{
	if (!host) {
		r->target = RULE_NET_ANY;
	} else if (inet_pton(AF_INET, host, r->addr) == 1) {
		r->target = RULE_NET_V4;
		r->prefix = 32;
	} else if (inet_pton(AF_INET6, host, r->addr) == 1) {
		r->target = RULE_NET_V6;
		r->prefix = 128;
	} else {
		r->target = RULE_NET_HOST;
		r->host = host;
	}
}

static bool opened_before(const struct http_rule *rules, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (rules[k].host == rules[i].host ||
			(rules[k].host && rules[i].host &&
				strcmp(rules[k].host, rules[i].host) == 0))
			return true;
	return false;
}

/* The names of deny rules and of credentials are looked up too, because the proxy must know whether
 * a connection goes to them. */
static void add_name(const char *host, const char *key, struct plan_net_http *ret)
{
	struct rule_net r = { 0 };

	set_target(host, &r);
	if (r.target == RULE_NET_HOST)
		ret->names[ret->n_names++] = (struct plan_net_name){ host, key };
}

struct plan_net_http plan_http_net(struct arena *a, const struct plan_http *p)
{
	struct rule_net *opens = arena_array(a, p->rules.n_allow + 1, sizeof(*opens));
	struct plan_net_http n = {
		.on = p->needed || p->closed,
		.closed = p->closed,
		.ports = p->ports,
		.n_ports = p->n_ports,
		.names = arena_array(a, p->rules.n_deny + p->rules.n_auth + 1, sizeof(*n.names)),
	};

	if (p->closed)
		return n;
	for (size_t i = 0; i < p->rules.n_allow; i++) {
		struct rule_net *r = &opens[n.opens.n];

		if (opened_before(p->rules.allow, i))
			continue;
		*r = (struct rule_net){
			.proto = RULE_NET_TCP, .ports = p->ports, .n_ports = p->n_ports
		};
		set_target(p->rules.allow[i].host, r);
		n.opens.n++;
	}
	n.opens.items = opens;
	for (size_t i = 0; i < p->rules.n_deny; i++)
		add_name(p->rules.deny[i].host, "http.deny", &n);
	for (size_t i = 0; i < p->rules.n_auth; i++)
		add_name(p->rules.auth[i].rule.host, "http.auth", &n);
	return n;
}

bool plan_http_intercepts(const struct plan_http *p, uint16_t port)
{
	for (size_t i = 0; i < p->n_ports; i++)
		if (p->ports[i].first <= port && port <= p->ports[i].last)
			return true;
	return false;
}

void plan_http_pin(struct arena *a, const struct plan_net *net, struct plan_http *p)
{
	struct http_pin *pins = arena_array(a, net->n_hosts + 1, sizeof(*pins));

	if (!p->needed)
		return;
	for (size_t i = 0; i < net->n_hosts; i++) {
		const struct plan_net_host *h = &net->hosts[i];
		struct http_pin_addr *addrs = arena_array(a, h->n_addrs + 1, sizeof(*addrs));

		for (size_t k = 0; k < h->n_addrs; k++) {
			addrs[k].v6 = h->addrs[k].v6;
			memcpy(addrs[k].addr, h->addrs[k].bytes, sizeof(addrs[k].addr));
		}
		pins[i] = (struct http_pin){ h->name, addrs, h->n_addrs };
	}
	p->rules.pins = pins;
	p->rules.n_pins = net->n_hosts;
}

/* The variables from which OpenSSL and Go, Node.js, requests, curl and git take their root
 * certificates. */
static const char *const ca_variables[] = {
	"SSL_CERT_FILE",
	"NODE_EXTRA_CA_CERTS",
	"REQUESTS_CA_BUNDLE",
	"CURL_CA_BUNDLE",
};

void plan_http_env(struct arena *a, const struct plan_http *p, struct plan_env_rules *rules)
{
	for (size_t i = 0; i < p->n_credentials; i++)
		if (p->credentials[i].variable)
			plan_env_rule_add(a, rules, p->credentials[i].variable);
	for (size_t i = 0; p->ca_env && i < COUNT(ca_variables); i++)
		plan_env_rule_add(
			a, rules, arena_printf(a, "%s=%s", ca_variables[i], p->inject[0]));
}

static void print_rows(struct arena *a, const struct http_rule *rules, size_t n, const char *what,
	const char *how, FILE *out)
{
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%-7s %-40s %-12s %s\n", what, rule_http_render_rule(a, &rules[i]),
			"proxy", how);
}

static void print_ca(const struct plan_http *p, FILE *out)
{
	if (!p->tls)
		fprintf(out, "%-7s %-40s %-12s %s\n", "deny", "TLS on these ports", "proxy",
			"there is no CA");
	else
		fprintf(out, "%-7s %-40s %-12s %s\n", "ca", p->ca.path ? p->ca.path : "ephemeral",
			"proxy", "signs for the host that TLS is asked for");
	for (size_t i = 0; i < p->n_inject; i++)
		fprintf(out, "%-7s %-40s %-12s %s\n", "show", p->inject[i], "mount",
			"with the CA added");
}

void plan_http_print(struct arena *a, const struct plan_http *p, FILE *out)
{
	struct rule_bind ports = { .ports = p->ports, .n = p->n_ports };

	if (!p->needed && !p->closed)
		return;
	fprintf(out, "\n%-7s %-40s %-12s %s\n", "HTTP", "", "RUNG", "HOW");
	fprintf(out, "%-7s %-40s %-12s %s\n", p->closed ? "deny" : "ports",
		rule_bind_render(a, &ports), "supervisor",
		p->closed ? "the sandbox of a pod makes no requests"
			  : "connect: the connection goes to the proxy");
	if (p->closed)
		return;
	print_rows(a, p->rules.deny, p->rules.n_deny, "deny", "403", out);
	print_rows(a, p->rules.allow, p->rules.n_allow, "allow", "each request", out);
	fprintf(out, "%-7s %-40s %-12s %s\n", p->rules.n_allow ? "deny" : "allow",
		"every other request", "proxy",
		p->rules.n_allow ? "403" : "there is no allow rule");
	for (size_t i = 0; i < p->rules.n_auth; i++)
		fprintf(out, "%-7s %-40s %-12s %s\n", "attach",
			rule_auth_render_item(a, &p->rules.auth[i]), "proxy",
			"after it is allowed");
	print_ca(p, out);
}
