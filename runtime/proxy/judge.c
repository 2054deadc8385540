/* SPDX-License-Identifier: Apache-2.0
 *
 * The verdict about one request on one connection, and its record. A request may name a host that
 * no rule names. Over TLS the server's certificate proves that name. Without TLS the connection
 * must not go to an address of a host that a rule names, because the request would evade that rule.
 */
#include "runtime/proxy/judge.h"

#include <string.h>

static bool is_pinned_address(const struct http_rules *r, const struct http_connection *where)
{
	const size_t len = where->v6 ? 16 : 4;

	for (size_t i = 0; i < r->n_pins; i++)
		for (size_t k = 0; k < r->pins[i].n_addrs; k++)
			if (r->pins[i].addrs[k].v6 == where->v6 &&
				memcmp(r->pins[i].addrs[k].addr, where->addr, len) == 0)
				return true;
	return false;
}

static bool is_at_host(const struct conn *c, const struct http_request *req)
{
	const struct http_rules *rules = &c->p->plan->rules;

	switch (http_rules_pinned(rules, &req->host, &c->where)) {
	case HTTP_PIN_SAME: return true;
	case HTTP_PIN_UNKNOWN: return c->where.tls || !is_pinned_address(rules, &c->where);
	case HTTP_PIN_OTHER: break;
	}
	return false;
}

static struct decision refused_with(unsigned int status, const char *class, const char *text)
{
	return (struct decision){ .status = status, .class = class, .text = text };
}

struct decision judge_request(struct conn *c)
{
	const struct http_request *req = &c->p->request;
	const struct http_verdict v = http_judge(&c->p->plan->rules, req);
	struct decision d = { .allowed = true };

	if (!v.allowed)
		d = refused_with(v.status, http_reason_text(v.reason),
			"Blocked by the HTTP policy of this container");
	else if (!is_at_host(c, req))
		d = refused_with(http_fault_status(HTTP_FAULT_OTHER_ADDRESS),
			http_fault_word(HTTP_FAULT_OTHER_ADDRESS),
			http_fault_text(HTTP_FAULT_OTHER_ADDRESS));
	else if (secrets_attach(c->p->secrets, v.auth, &d.attach) < 0)
		d = refused_with(502, "credential", "The credential for this request is not there");
	if (!d.allowed)
		judge_record(c->p, req, d.class);
	return d;
}

bool judge_host(const struct proxy *p, const struct http_host *host)
{
	const struct http_rules *r = &p->plan->rules;

	for (size_t i = 0; i < r->n_allow; i++)
		if (!r->allow[i].host || strcmp(r->allow[i].host, host->text) == 0)
			return true;
	return r->n_allow == 0;
}

static void copy_cut(char *to, size_t size, const char *from)
{
	size_t n = 0;

	for (; n < size - 1 && from[n]; n++)
		to[n] = from[n];
	to[n] = '\0';
}

void judge_record(struct proxy *p, const struct http_request *req, const char *what)
{
	struct proxy_msg m = { .type = PROXY_AUDIT };

	if (req) {
		copy_cut(m.audit.method, sizeof(m.audit.method), req->method);
		copy_cut(m.audit.host, sizeof(m.audit.host), req->host.text);
		copy_cut(m.audit.path, sizeof(m.audit.path), req->path);
	}
	copy_cut(m.audit.rule, sizeof(m.audit.rule), what);
	if (proxy_send(p, &m, PROXY_MSG_LEN(audit), NULL) < 0)
		p->audits_lost++;
}
