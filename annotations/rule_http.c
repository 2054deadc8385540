/* SPDX-License-Identifier: Apache-2.0 */
#include "annotations/rule_http.h"

#include <ctype.h>
#include <string.h>

#include "annotations/rule_text.h"

/* The rules come from a tenant, and each request is compared with all of them, so their number is
 * limited. */
#define RULES_MAX 256

static const char *const shapes[] = {
	[HTTP_AUTH_BEARER] = "bearer",
	[HTTP_AUTH_BASIC] = "basic:",
	[HTTP_AUTH_HEADER] = "header:",
	[HTTP_AUTH_QUERY] = "query:",
};
#define APIKEY "apikey:"

/* Returns the next word of an item; n is 0 when there is none left. */
static struct http_span next_word(struct http_span *s)
{
	struct http_span word = { s->s, 0 };

	while (s->n > 0 && (*s->s == ' ' || *s->s == '\t'))
		*s = (struct http_span){ s->s + 1, s->n - 1 };
	word.s = s->s;
	while (word.n < s->n && s->s[word.n] != ' ' && s->s[word.n] != '\t')
		word.n++;
	*s = (struct http_span){ s->s + word.n, s->n - word.n };
	return word;
}

static bool is_word(struct http_span s, const char *more)
{
	for (size_t i = 0; i < s.n; i++)
		if (!isalnum((unsigned char)s.s[i]) && (!s.s[i] || !strchr(more, s.s[i])))
			return false;
	return s.n > 0;
}

static const char *read_rule_method(
	struct arena *a, struct http_span word, bool allow, struct http_rule *r)
{
	char *method;

	if (word.n == 1 && word.s[0] == '*')
		return NULL;
	if (!is_word(word, "!#$%&'+-.^_`|~") || word.n > HTTP_METHOD_MAX)
		return "a rule begins with a method or *";
	method = arena_strndup(a, word.s, word.n);
	for (char *p = method; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	if (allow && (strcmp(method, "CONNECT") == 0 || strcmp(method, "TRACE") == 0))
		return "CONNECT and TRACE are never passed on, so no rule can allow them";
	r->method = method;
	return NULL;
}

static const char *read_rule_host(struct arena *a, struct http_span word, struct http_rule *r)
{
	struct http_host host;
	uint16_t port;

	if (word.n == 1 && word.s[0] == '*')
		return NULL;
	if (http_authority_parse(word, &host, &port) == HTTP_NO_FAULT && port > 0)
		return "a host has no port here: http.ports says which ports are meant";
	if (http_host_parse(word, &host) != HTTP_NO_FAULT)
		return "the host is *, a name in ASCII without wildcards, an IPv4 address, or an "
		       "IPv6 address in brackets";
	r->host = arena_strdup(a, host.text);
	return NULL;
}

static const char *read_rule_path(struct arena *a, struct http_span word, struct http_rule *r)
{
	char text[HTTP_PATH_MAX + 1];

	if (http_rule_set_path(r, word, text) != HTTP_NO_FAULT)
		return "the path has * only at its end, no query, and no \";\", escaped slash, or "
		       "dot "
		       "or blank at the end of a name, which servers read differently";
	r->path = arena_strndup(a, text, r->path_len);
	return NULL;
}

/* Takes two words off the item. Returns what is wrong with them, or NULL. */
static const char *parse_http_rule(
	struct arena *a, struct http_span *item, bool allow, struct http_rule *ret)
{
	struct http_rule r = { 0 };
	const struct http_span method = next_word(item), rest = next_word(item);
	const char *slash = rest.n > 0 ? memchr(rest.s, '/', rest.n) : NULL;
	const size_t host = slash ? (size_t)(slash - rest.s) : rest.n;
	const char *why;

	if (rest.n == 0)
		return "a rule is METHOD HOST/PATH";
	if ((why = read_rule_method(a, method, allow, &r)) ||
		(why = read_rule_host(a, (struct http_span){ rest.s, host }, &r)) ||
		(why = read_rule_path(a, (struct http_span){ rest.s + host, rest.n - host }, &r)))
		return why;
	*ret = r;
	return NULL;
}

/* Parses one item into *ret. Returns what is wrong with it, or NULL. */
typedef const char *item_parser(struct arena *a, struct http_span item, void *ret);

static const char *parse_only_rule(
	struct arena *a, struct http_span item, bool allow, struct http_rule *ret)
{
	const char *why = parse_http_rule(a, &item, allow, ret);

	if (!why && next_word(&item).n > 0)
		return "there is something behind METHOD HOST/PATH";
	return why;
}

static const char *parse_allow_item(struct arena *a, struct http_span item, void *ret)
{
	return parse_only_rule(a, item, true, ret);
}

static const char *parse_deny_item(struct arena *a, struct http_span item, void *ret)
{
	return parse_only_rule(a, item, false, ret);
}

static const char *set_shape(struct arena *a, struct http_span word, struct http_auth *auth)
{
	struct http_span name = { NULL, 0 };
	bool known = false;

	for (enum http_shape s = HTTP_AUTH_BEARER; s <= HTTP_AUTH_QUERY && !known; s++) {
		const size_t n = strlen(shapes[s]);

		if (word.n < n || memcmp(word.s, shapes[s], n) != 0)
			continue;
		auth->shape = s;
		name = (struct http_span){ word.s + n, word.n - n };
		known = s != HTTP_AUTH_BEARER || name.n == 0;
	}
	if (!known && word.n > strlen(APIKEY) && memcmp(word.s, APIKEY, strlen(APIKEY)) == 0) {
		auth->shape = HTTP_AUTH_HEADER;
		name = (struct http_span){ word.s + strlen(APIKEY), word.n - strlen(APIKEY) };
		known = true;
	}
	if (!known)
		return "the shape is bearer, basic:USER, header:NAME, apikey:NAME or query:NAME";
	if (auth->shape == HTTP_AUTH_BEARER)
		return NULL;
	if (auth->shape == HTTP_AUTH_HEADER && !http_may_attach(name))
		return "a credential cannot be in that header";
	if (auth->shape != HTTP_AUTH_HEADER && !is_word(name, "-_.~@+"))
		return "the user or parameter is letters, digits and -_.~@+";
	auth->name = arena_strndup(a, name.s, name.n);
	return NULL;
}

static const char *parse_auth_item(struct arena *a, struct http_span item, void *ret)
{
	struct http_span shape, name, how;
	struct http_auth auth = { 0 };
	const char *why = parse_http_rule(a, &item, true, &auth.rule);

	if (why)
		return why;
	if (!auth.rule.host)
		return "a credential goes to hosts that are named, not to *";
	shape = next_word(&item);
	if ((why = set_shape(a, shape, &auth)))
		return why;
	name = next_word(&item);
	if (!is_word(name, "-_."))
		return "the name of a credential is letters, digits and -_.";
	auth.credential = arena_strndup(a, name.s, name.n);
	how = next_word(&item);
	auth.add_only = http_span_is(how, "add-only");
	if (auth.add_only || http_span_is(how, "replace"))
		how = next_word(&item);
	auth.cleartext = http_span_is(how, "cleartext");
	if (next_word(&item).n > 0 || (how.n > 0 && !auth.cleartext))
		return "behind the credential comes replace or add-only, and cleartext, or nothing";
	*(struct http_auth *)ret = auth;
	return NULL;
}

/* Parses a value into an array of items of one size. Returns what is wrong with it, or NULL. */
static const char *parse_items(struct arena *a, const char *value, item_parser *parse, size_t size,
	void **ret, size_t *ret_n)
{
	const size_t max = rule_count(value, strlen(value), ';') + 1;
	const char *item, *why;
	char *items;
	size_t n = 0, len;

	if (max > RULES_MAX)
		return arena_printf(a, "there are more than %d rules", RULES_MAX);
	items = arena_array(a, max, size);
	while (rule_next_item(&value, &item, &len)) {
		why = parse(a, (struct http_span){ item, len }, items + n++ * size);
		if (why)
			return arena_printf(
				a, "\"%.*s\": %s", (int)(len < 200 ? len : 200), item, why);
	}
	*ret = items;
	*ret_n = n;
	return NULL;
}

static int parse_rule_list(
	struct arena *a, const char *value, item_parser *parse, struct rule_http_list *ret)
{
	void *items;
	size_t n;

	if (parse_items(a, value, parse, sizeof(*ret->items), &items, &n))
		return -1;
	*ret = (struct rule_http_list){ items, n };
	return 0;
}

int rule_http_parse_allow(struct arena *a, const char *value, struct rule_http_list *ret)
{
	return parse_rule_list(a, value, parse_allow_item, ret);
}

int rule_http_parse_deny(struct arena *a, const char *value, struct rule_http_list *ret)
{
	return parse_rule_list(a, value, parse_deny_item, ret);
}

int rule_auth_parse(struct arena *a, const char *value, struct rule_auth_list *ret)
{
	void *items;
	size_t n;

	if (parse_items(a, value, parse_auth_item, sizeof(*ret->items), &items, &n))
		return -1;
	*ret = (struct rule_auth_list){ items, n };
	return 0;
}

const char *rule_http_explain(struct arena *a, const char *value, bool auth, bool allow)
{
	item_parser *const rule = allow ? parse_allow_item : parse_deny_item;
	void *items;
	size_t n;

	return parse_items(a, value, auth ? parse_auth_item : rule,
		auth ? sizeof(struct http_auth) : sizeof(struct http_rule), &items, &n);
}

/* Prints the canonical path: decoding it once gives the rule's path. */
static void print_path(FILE *out, const struct http_rule *r)
{
	for (size_t i = 0; i < r->path_len; i++) {
		const unsigned char c = (unsigned char)r->path[i];

		if (isalnum(c) || strchr("/-_.~!$&'()+,=:@", c))
			fputc(c, out);
		else
			fprintf(out, "%%%02X", c);
	}
	if (r->kind == HTTP_PATH_BELOW || r->path_len == 0)
		fputc('/', out);
	if (r->kind != HTTP_PATH_EXACT)
		fputc('*', out);
}

static void print_http_rule(FILE *out, const void *item)
{
	const struct http_rule *r = item;
	const bool v6 = r->host && strchr(r->host, ':');

	fprintf(out, "%s %s%s%s", r->method ? r->method : "*", v6 ? "[" : "",
		r->host ? r->host : "*", v6 ? "]" : "");
	print_path(out, r);
}

static void print_auth(FILE *out, const void *item)
{
	const struct http_auth *auth = item;

	print_http_rule(out, &auth->rule);
	fprintf(out, " %s%s %s%s%s", shapes[auth->shape], auth->name ? auth->name : "",
		auth->credential, auth->add_only ? " add-only" : "",
		auth->cleartext ? " cleartext" : "");
}

const char *rule_http_render_rule(struct arena *a, const struct http_rule *r)
{
	return rule_render(a, r, 1, sizeof(*r), ';', print_http_rule);
}

const char *rule_auth_render_item(struct arena *a, const struct http_auth *auth)
{
	return rule_render(a, auth, 1, sizeof(*auth), ';', print_auth);
}

const char *rule_http_render(struct arena *a, const struct rule_http_list *l)
{
	return rule_render(a, l->items, l->n, sizeof(*l->items), ';', print_http_rule);
}

const char *rule_auth_render(struct arena *a, const struct rule_auth_list *l)
{
	return rule_render(a, l->items, l->n, sizeof(*l->items), ';', print_auth);
}
