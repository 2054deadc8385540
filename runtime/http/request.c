/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/http/request.h"

#include <string.h>

#include "runtime/http/words.h"

/* The parts of a target; a part that is missing is empty. */
struct target_parts {
	struct http_span scheme;
	struct http_span authority; /* s NULL: none */
	struct http_span path;
	struct http_span query;
	bool has_query;
};

static struct http_span from(struct http_span s, size_t at)
{
	return (struct http_span){ s.s + at, s.n - at };
}

static void split_query(struct http_span s, struct target_parts *p)
{
	const char *mark = s.n > 0 ? memchr(s.s, '?', s.n) : NULL;

	p->path = (struct http_span){ s.s, mark ? (size_t)(mark - s.s) : s.n };
	p->has_query = mark;
	if (mark)
		p->query = from(s, p->path.n + 1);
}

/* "scheme://authority/path?query" */
static enum http_fault split_absolute(struct http_span t, struct target_parts *p)
{
	const char *colon = memchr(t.s, ':', t.n);
	const size_t scheme = colon ? (size_t)(colon - t.s) : 0;
	size_t end;

	if (scheme == 0 || t.n < scheme + 3 || memcmp(colon, "://", 3) != 0)
		return HTTP_FAULT_TARGET;
	p->scheme = (struct http_span){ t.s, scheme };
	t = from(t, scheme + 3);
	for (end = 0; end < t.n && t.s[end] != '/' && t.s[end] != '?'; end++)
		;
	p->authority = (struct http_span){ t.s, end };
	split_query(from(t, end), p);
	return HTTP_NO_FAULT;
}

static enum http_fault split(const struct http_head *head, struct target_parts *p)
{
	struct http_span t = head->target;
	enum http_fault f = HTTP_NO_FAULT;

	*p = (struct target_parts){ 0 };
	if (t.n == 0)
		return HTTP_FAULT_TARGET;
	if (t.s[0] == '/' || http_span_is(t, "*"))
		split_query(t, p);
	else if (head->version == HTTP_2)
		f = HTTP_FAULT_TARGET;
	else
		f = split_absolute(t, p);
	if (head->version == HTTP_2) {
		p->scheme = head->scheme;
		p->authority = head->authority;
	}
	return f;
}

struct authority {
	struct http_host host;
	uint16_t port;
};

/* Reads the Host field. That there is none is no fault here. */
static enum http_fault read_host(const struct http_head *head, struct authority *ret, bool *ret_has)
{
	const struct http_field *host = NULL;

	for (size_t i = 0; i < head->n_fields; i++) {
		if (head->fields[i].known != HTTP_HOST)
			continue;
		if (host)
			return HTTP_FAULT_TWO_HOSTS;
		host = &head->fields[i];
	}
	*ret_has = host;
	return host ? http_authority_parse(host->value, &ret->host, &ret->port) : HTTP_NO_FAULT;
}

static uint16_t port_or_default(uint16_t port, bool tls)
{
	return port ? port : tls ? 443 : 80;
}

/* Finds the host; the target, the pseudo field and Host must agree. */
static enum http_fault agree(
	const struct http_head *head, struct http_span authority, bool tls, struct authority *ret)
{
	struct authority field = { 0 };
	enum http_fault f;
	bool has_field;

	f = read_host(head, &field, &has_field);
	if (f != HTTP_NO_FAULT)
		return f;
	if (!has_field && (head->version != HTTP_2 || !authority.s))
		return HTTP_FAULT_NO_HOST;
	*ret = field;
	if (!authority.s)
		return HTTP_NO_FAULT;
	f = http_authority_parse(authority, &ret->host, &ret->port);
	if (f != HTTP_NO_FAULT || !has_field)
		return f;
	if (!http_host_same(&ret->host, &field.host) ||
		port_or_default(ret->port, tls) != port_or_default(field.port, tls))
		return HTTP_FAULT_HOST_DIFFERS;
	return HTTP_NO_FAULT;
}

/* Compares the host with the connection: port, address and SNI. */
static enum http_fault check_connection(const struct http_connection *c, const struct authority *a)
{
	if (port_or_default(a->port, c->tls) != c->port)
		return HTTP_FAULT_OTHER_PORT;
	if (a->host.is_addr && !http_host_is_at(&a->host, c->v6, c->addr))
		return HTTP_FAULT_OTHER_ADDRESS;
	if (c->tls && c->has_sni && !http_host_same(&c->sni, &a->host))
		return HTTP_FAULT_OTHER_SNI;
	if (c->tls && !c->has_sni && !a->host.is_addr)
		return HTTP_FAULT_OTHER_SNI;
	return HTTP_NO_FAULT;
}

static enum http_fault check_query(struct http_span q)
{
	for (size_t i = 0; i < q.n; i++) {
		if (q.s[i] == '%') {
			if (q.n - i < 3 || !http_is(q.s[i + 1], HTTP_C_HEX) ||
				!http_is(q.s[i + 2], HTTP_C_HEX))
				return HTTP_FAULT_ESCAPE;
		} else if (!http_is(q.s[i], HTTP_C_QUERY)) {
			return HTTP_FAULT_PATH_CHARACTER;
		}
	}
	return HTTP_NO_FAULT;
}

static enum http_fault set_path(const struct target_parts *p, struct http_request *req)
{
	const bool options = strcmp(req->method, "OPTIONS") == 0;
	struct http_span path = p->path;

	/* RFC 9112 section 3.2.4: in the absolute form an empty path of OPTIONS means the server
	 * itself. */
	if (http_span_is(path, "*") || (path.n == 0 && !p->has_query && options)) {
		if (!options || p->has_query)
			return HTTP_FAULT_TARGET;
		req->asterisk = true;
		req->path_len = 1;
		memcpy(req->path, "*", 2);
		return HTTP_NO_FAULT;
	}
	if (path.n == 0)
		path = http_span_of("/");
	req->has_query = p->has_query;
	req->query = p->query;
	return http_path_make(path, req->path, &req->path_len);
}

/* CONNECT names a host and no path. It is parsed so that the log has the host, and is always
 * refused. */
static enum http_fault make_connect(const struct http_head *head, struct http_request *ret)
{
	const bool h2 = head->version == HTTP_2;

	ret->connect = true;
	return http_authority_parse(h2 ? head->authority : head->target, &ret->host, &ret->port);
}

static void set_method(const struct http_head *head, struct http_request *ret)
{
	memcpy(ret->method, head->method.s, head->method.n);
	ret->method[head->method.n] = '\0';
}

enum http_fault http_request_make(
	const struct http_head *head, const struct http_connection *c, struct http_request *ret)
{
	struct authority who = { 0 };
	struct target_parts p;
	enum http_fault f, in_target;

	memset(ret, 0, offsetof(struct http_request, path));
	ret->path[0] = '\0';
	if (head->method.n == 0 || head->method.n > HTTP_METHOD_MAX)
		return HTTP_FAULT_METHOD;
	set_method(head, ret);
	ret->version = head->version;
	ret->tls = c->tls;
	if (strcmp(ret->method, "CONNECT") == 0)
		return make_connect(head, ret);
	if ((f = split(head, &p)) != HTTP_NO_FAULT ||
		(f = agree(head, p.authority, c->tls, &who)) != HTTP_NO_FAULT)
		return f;
	ret->host = who.host;
	ret->port = c->port;
	ret->default_port = c->port == (c->tls ? 443 : 80);
	if (p.scheme.n > 0 && !http_span_is_nocase(p.scheme, c->tls ? "https" : "http"))
		return HTTP_FAULT_SCHEME;
	f = check_connection(c, &who);
	in_target = check_query(p.query);
	if (in_target == HTTP_NO_FAULT)
		in_target = set_path(&p, ret);
	if (in_target != HTTP_NO_FAULT)
		ret->path[0] = '\0';
	return f != HTTP_NO_FAULT ? f : in_target;
}
