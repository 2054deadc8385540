/* SPDX-License-Identifier: Apache-2.0
 *
 * The verdict about one request on one connection, its credential, and its record.
 */
#include "runtime/proxy/judge.h"

#include <string.h>

static struct decision refused_with(unsigned int status, const char *class, const char *text)
{
	return (struct decision){ .status = status, .class = class, .text = text };
}

struct decision judge_request(struct conn *c)
{
	const struct http_request *req = &c->p->request;
	const struct http_verdict v = http_judge(&c->p->plan->rules, req, &c->where);
	struct decision d = { .allowed = true };
	const char *why;

	if (!v.allowed)
		d = refused_with(v.status, http_reason_text(v.reason),
			v.reason == HTTP_BY_ADDRESS
				? http_fault_text(HTTP_FAULT_OTHER_ADDRESS)
				: "Blocked by the HTTP policy of this container");
	else if (secrets_attach(c->p->secrets, v.auth, &d.attach, &why) < 0)
		d = refused_with(502, "credential", why);
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
