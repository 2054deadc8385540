/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/http/rules.h"

#include <string.h>

#include "runtime/http/path.h"
#include "runtime/http/words.h"

static const char *const reasons[] = {
	[HTTP_BY_DEFAULT] = "no allow rule",
	[HTTP_BY_DENY_RULE] = "deny rule",
	[HTTP_BY_ALLOW_RULE] = "allow rule",
	[HTTP_BY_NO_ALLOW_RULE] = "no deny rule",
	[HTTP_BY_METHOD] = "method that is never passed on",
	[HTTP_BY_CLEARTEXT] = "credential that may not be sent in the clear",
	[HTTP_BY_READINGS] = "path that servers read differently",
	[HTTP_BY_ADDRESS] = "other-address",
};

const char *http_reason_text(enum http_reason r)
{
	return reasons[r];
}

/* "/a/." in front of an asterisk: the dot is the beginning of a name, no dot segment. */
static bool ends_in_dots(struct http_span s)
{
	while (s.n > 0 && s.s[s.n - 1] == '.')
		s.n--;
	return s.n > 0 && s.s[s.n - 1] == '/';
}

enum http_fault http_rule_set_path(
	struct http_rule *r, struct http_span text, char ret_text[HTTP_PATH_MAX + 1])
{
	static const struct http_span all = { "/*", 2 };
	const bool asterisk = text.n > 0 && text.s[text.n - 1] == '*';
	struct http_span s = text.n > 0 ? text : all;
	enum http_fault f;
	size_t n, within;

	r->kind = HTTP_PATH_EXACT;
	if (asterisk || text.n == 0) {
		s.n--;
		r->kind = s.n > 0 && s.s[s.n - 1] == '/' ? HTTP_PATH_BELOW : HTTP_PATH_PREFIX;
	}
	if (s.n > 0 && memchr(s.s, '*', s.n))
		return HTTP_FAULT_PATH_CHARACTER;
	if (r->kind == HTTP_PATH_PREFIX && ends_in_dots(s))
		return HTTP_FAULT_TARGET;
	f = http_path_make(s, ret_text, &n);
	if (f != HTTP_NO_FAULT)
		return f;
	within = n;
	if (r->kind == HTTP_PATH_PREFIX) /* a name goes on there: what it ends with is within it */
		ret_text[within++] = 'a';
	if (http_path_readings(ret_text, within) != 0)
		return HTTP_FAULT_PATH_CHARACTER;
	r->path_len = http_path_read(ret_text, n, 0, ret_text);
	ret_text[r->path_len] = '\0';
	r->path = ret_text;
	return HTTP_NO_FAULT;
}

/* One reading of a request's path. */
struct reading {
	const struct http_request *req;
	const struct http_connection *where;
	const char *address; /* where, as the host of a rule is written */
	const char *path;
	size_t len;
};

static bool path_matches(const struct http_rule *r, const struct reading *p)
{
	if (p->req->asterisk)
		return r->kind == HTTP_PATH_BELOW && r->path_len == 0;
	if (p->len < r->path_len || memcmp(p->path, r->path, r->path_len) != 0)
		return false;
	switch (r->kind) {
	case HTTP_PATH_PREFIX: return true;
	case HTTP_PATH_BELOW: return p->len == r->path_len || p->path[r->path_len] == '/';
	case HTTP_PATH_EXACT: return p->len == r->path_len;
	}
	return false;
}

static bool matches_at_any_host(const struct http_rule *r, const struct reading *p)
{
	if (r->method && !http_span_is_nocase(http_span_of(p->req->method), r->method))
		return false;
	return path_matches(r, p);
}

static bool has_host(const struct http_rule *r, const struct reading *p)
{
	return !r->host || strcmp(r->host, p->req->host.text) == 0;
}

static bool matches(const struct http_rule *r, const struct reading *p)
{
	return has_host(r, p) && matches_at_any_host(r, p);
}

static const struct http_rule *first_allow(const struct http_rules *rules, const struct reading *p)
{
	for (size_t i = 0; i < rules->n_allow; i++)
		if (matches(&rules->allow[i], p))
			return &rules->allow[i];
	return NULL;
}

static bool is_at(const struct http_pin *pin, const struct http_connection *c)
{
	for (size_t i = 0; i < pin->n_addrs; i++)
		if (http_address_same(pin->addrs[i].v6, pin->addrs[i].addr, c->v6, c->addr))
			return true;
	return false;
}

static const struct http_pin *find_pin(const struct http_rules *rules, const char *host)
{
	for (size_t i = 0; i < rules->n_pins; i++)
		if (strcmp(rules->pins[i].host, host) == 0)
			return &rules->pins[i];
	return NULL;
}

/* Then the name is another site than other names of its address. */
static bool is_allowed_by_name(const struct http_rules *rules, const struct reading *p)
{
	for (size_t i = 0; i < rules->n_allow && !p->req->host.is_addr; i++)
		if (rules->allow[i].host && matches(&rules->allow[i], p))
			return true;
	return false;
}

/* Whether the request names the rule's host, or goes to it under whatever name. */
static bool is_for_denied_host(
	const struct http_rules *rules, const struct http_rule *r, const struct reading *p)
{
	const struct http_pin *pin;

	if (has_host(r, p) || strcmp(r->host, p->address) == 0)
		return true;
	pin = find_pin(rules, r->host);
	return pin && is_at(pin, p->where) && !is_allowed_by_name(rules, p);
}

static const struct http_rule *first_deny(const struct http_rules *rules, const struct reading *p)
{
	for (size_t i = 0; i < rules->n_deny; i++) {
		const struct http_rule *r = &rules->deny[i];

		if (matches_at_any_host(r, p) && is_for_denied_host(rules, r, p))
			return r;
	}
	return NULL;
}

static const struct http_auth *first_auth(const struct http_rules *rules, const struct reading *p)
{
	for (size_t i = 0; i < rules->n_auth; i++)
		if (matches(&rules->auth[i].rule, p))
			return &rules->auth[i];
	return NULL;
}

static struct http_verdict deny(
	enum http_reason reason, unsigned int status, const struct http_rule *rule)
{
	return (struct http_verdict){ .reason = reason, .status = status, .rule = rule };
}

static struct http_verdict judge_reading(const struct http_rules *rules, const struct reading *p)
{
	const struct http_rule *r = first_deny(rules, p);
	const struct http_auth *auth;

	if (r)
		return deny(HTTP_BY_DENY_RULE, 403, r);
	r = first_allow(rules, p);
	if (!r && (rules->n_allow > 0 || rules->n_deny == 0))
		return deny(HTTP_BY_DEFAULT, 403, NULL);
	auth = first_auth(rules, p);
	if (auth && !auth->cleartext && !p->req->tls)
		return deny(HTTP_BY_CLEARTEXT, 403, &auth->rule);
	return (struct http_verdict){ .allowed = true,
		.reason = r ? HTTP_BY_ALLOW_RULE : HTTP_BY_NO_ALLOW_RULE,
		.rule = r,
		.auth = auth };
}

/* Judges the path of a request in every way that a server may read it. */
static struct http_verdict judge_readings(const struct http_rules *rules,
	const struct http_request *req, const struct http_connection *where)
{
	const unsigned int may = http_path_readings(req->path, req->path_len);
	char text[HTTP_PATH_MAX + 1];
	struct http_host address;
	struct reading p = { req, where, address.text, text,
		http_path_read(req->path, req->path_len, 0, text) };
	struct http_verdict v;

	http_host_of_address(where->v6, where->addr, &address);
	v = judge_reading(rules, &p);

	for (unsigned int how = 1; how <= may; how++) {
		struct http_verdict other;

		if ((how & may) != how)
			continue;
		p.len = http_path_read(req->path, req->path_len, how, text);
		other = judge_reading(rules, &p);
		if (other.allowed != v.allowed || other.auth != v.auth)
			return deny(HTTP_BY_READINGS, 400, other.allowed ? v.rule : other.rule);
	}
	return v;
}

static bool is_pinned_address(const struct http_rules *rules, const struct http_connection *c)
{
	for (size_t i = 0; i < rules->n_pins; i++)
		if (is_at(&rules->pins[i], c))
			return true;
	return false;
}

/* Whether the connection goes to the host, as far as that must be known. */
static bool goes_to_host(const struct http_rules *rules, const struct http_request *req,
	const struct http_connection *c, bool credential)
{
	switch (http_rules_pinned(rules, &req->host, c)) {
	case HTTP_PIN_SAME: return true;
	case HTTP_PIN_UNKNOWN: return c->tls || (!credential && !is_pinned_address(rules, c));
	case HTTP_PIN_OTHER: break;
	}
	return false;
}

struct http_verdict http_judge(const struct http_rules *rules, const struct http_request *req,
	const struct http_connection *where)
{
	const struct http_span method = http_span_of(req->method);
	struct http_verdict v;

	if (req->connect || http_span_is_nocase(method, "CONNECT") ||
		http_span_is_nocase(method, "TRACE") || http_span_is_nocase(method, "TRACK"))
		return deny(HTTP_BY_METHOD, 403, NULL);
	v = judge_readings(rules, req, where);
	if (v.allowed && !goes_to_host(rules, req, where, v.auth != NULL))
		return deny(HTTP_BY_ADDRESS, 421, NULL);
	return v;
}

enum http_pin_answer http_rules_pinned(const struct http_rules *rules, const struct http_host *host,
	const struct http_connection *c)
{
	const struct http_pin *pin;

	if (host->is_addr)
		return http_host_is_at(host, c->v6, c->addr) ? HTTP_PIN_SAME : HTTP_PIN_OTHER;
	pin = find_pin(rules, host->text);
	if (!pin)
		return HTTP_PIN_UNKNOWN;
	return is_at(pin, c) ? HTTP_PIN_SAME : HTTP_PIN_OTHER;
}
