/* SPDX-License-Identifier: Apache-2.0 */
#include "annotations/rule_net.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define HOST_MAX  253 /* of a name in the DNS, RFC 1035 */
#define LABEL_MAX 63

static const char *const schemes[RULE_NET_PROTOS] = { "tcp", "udp", "icmp" };

static int digits(const char *s, size_t len, unsigned int max, unsigned int *ret)
{
	unsigned int v = 0;

	if (len == 0 || len > 5 || (len > 1 && s[0] == '0'))
		return -1;
	for (size_t i = 0; i < len; i++) {
		if (!isdigit((unsigned char)s[i]))
			return -1;
		v = v * 10 + (unsigned int)(s[i] - '0');
	}
	if (v > max)
		return -1;
	*ret = v;
	return 0;
}

size_t rule_ports_merge(struct rule_ports *ports, size_t n)
{
	size_t out = 0;

	for (size_t i = 1; i < n; i++) {
		struct rule_ports p = ports[i];
		size_t k = i;

		for (; k > 0 && ports[k - 1].first > p.first; k--)
			ports[k] = ports[k - 1];
		ports[k] = p;
	}
	for (size_t i = 0; i < n; i++) {
		if (out > 0 && ports[i].first <= (unsigned int)ports[out - 1].last + 1) {
			if (ports[i].last > ports[out - 1].last)
				ports[out - 1].last = ports[i].last;
		} else {
			ports[out++] = ports[i];
		}
	}
	return out;
}

static size_t count(const char *s, size_t len, char c)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += s[i] == c;
	return n;
}

static int parse_ports(struct arena *a, const char *s, size_t len, struct rule_net *r)
{
	struct rule_ports *ports;
	size_t n = 0;

	if (len == 1 && s[0] == '*')
		return 0;
	ports = arena_array(a, count(s, len, ',') + 1, sizeof(*ports));
	for (const char *end = s + len;; n++) {
		const char *comma = memchr(s, ',', (size_t)(end - s));
		size_t item = (size_t)((comma ? comma : end) - s);
		unsigned int port;

		if (digits(s, item, UINT16_MAX, &port) < 0 || port == 0)
			return -1;
		ports[n] = (struct rule_ports){ (uint16_t)port, (uint16_t)port };
		if (!comma)
			break;
		s = comma + 1;
	}
	r->ports = ports;
	r->n_ports = rule_ports_merge(ports, n + 1);
	return 0;
}

static bool has_host_bits(const uint8_t *addr, unsigned int prefix, unsigned int bits)
{
	for (unsigned int bit = prefix; bit < bits; bit++)
		if (addr[bit / 8] & (0x80U >> bit % 8))
			return true;
	return false;
}

/* A v4 address written as v6 is that v4 address: destinations are judged so too. */
static void unmap(struct rule_net *r)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (r->target != RULE_NET_V6 || r->prefix < 96 || memcmp(r->addr, mapped, 12) != 0)
		return;
	memmove(r->addr, r->addr + 12, 4);
	memset(r->addr + 4, 0, 12);
	r->target = RULE_NET_V4;
	r->prefix -= 96;
}

/* An address with or without its prefix, of one family. */
static int parse_addr(const char *s, size_t len, int family, struct rule_net *r)
{
	unsigned int bits = family == AF_INET ? 32 : 128, prefix = bits;
	const char *slash = memchr(s, '/', len);
	size_t n = slash ? (size_t)(slash - s) : len;
	char text[INET6_ADDRSTRLEN];

	if (n >= sizeof(text))
		return -1;
	memcpy(text, s, n);
	text[n] = '\0';
	if (strlen(text) != n || inet_pton(family, text, r->addr) != 1)
		return -1;
	if (slash && digits(slash + 1, len - n - 1, bits, &prefix) < 0)
		return -1;
	if (has_host_bits(r->addr, prefix, bits))
		return -1;
	r->target = family == AF_INET ? RULE_NET_V4 : RULE_NET_V6;
	r->prefix = (uint8_t)prefix;
	unmap(r);
	return 0;
}

static bool is_label(const char *s, size_t len)
{
	if (len == 0 || len > LABEL_MAX || s[0] == '-' || s[len - 1] == '-')
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '-' && s[i] != '_')
			return false;
	return true;
}

static int parse_host(struct arena *a, const char *s, size_t len, struct rule_net *r)
{
	const char *label = s, *end;
	char *host;

	if (len > 1 && s[len - 1] == '.')
		len--;
	if (len == 0 || len > HOST_MAX)
		return -1;
	end = s + len;
	for (;;) {
		const char *dot = memchr(label, '.', (size_t)(end - label));

		if (!is_label(label, (size_t)((dot ? dot : end) - label)))
			return -1;
		if (!dot)
			break;
		label = dot + 1;
	}
	/* "1.2.3", "0x7f.1", "256.0.0.1": a resolver makes addresses of these. */
	if (isdigit((unsigned char)*label))
		return -1;
	host = arena_strndup(a, s, len);
	for (char *p = host; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	r->target = RULE_NET_HOST;
	r->host = host;
	return 0;
}

static int parse_target(struct arena *a, const char *s, size_t len, struct rule_net *r)
{
	if (len == 0 || (len == 1 && s[0] == '*')) {
		r->target = RULE_NET_ANY;
		return 0;
	}
	if (memchr(s, '/', len) || parse_addr(s, len, AF_INET, r) == 0)
		return parse_addr(s, len, AF_INET, r);
	return parse_host(a, s, len, r);
}

/* "2001:db8::1:443": an address, or an address and a port. Returns the length of the shorter
 * address, or 0 when there is one reading only. */
static size_t second_reading(const char *s, size_t len)
{
	const char *colon = memrchr(s, ':', len);
	struct rule_net r = { .proto = RULE_NET_TCP };
	size_t before = colon ? (size_t)(colon - s) : 0;

	if (!colon || s[0] == '[' || memchr(s, '/', before) || count(s, len, ':') < 3)
		return 0;
	if (strspn(colon + 1, "0123456789,*") < len - before - 1 || before + 1 == len)
		return 0;
	return parse_addr(s, before, AF_INET6, &r) == 0 ? before : 0;
}

/* What is behind the scheme. */
static int parse_body(struct arena *a, const char *s, size_t len, struct rule_net *r)
{
	const char *ports = NULL, *end = s + len;

	if (len == 0)
		return -1;
	if (s[0] == '[') {
		const char *close = memchr(s, ']', len);

		if (!close || parse_addr(s + 1, (size_t)(close - s) - 1, AF_INET6, r) < 0)
			return -1;
		if (close + 1 < end && close[1] != ':')
			return -1;
		ports = close + 1 < end ? close + 2 : NULL;
	} else if (count(s, len, ':') >= 2) {
		if (second_reading(s, len) > 0)
			return -1;
		return parse_addr(s, len, AF_INET6, r);
	} else {
		const char *colon = memchr(s, ':', len);

		if (parse_target(a, s, colon ? (size_t)(colon - s) : len, r) < 0)
			return -1;
		ports = colon ? colon + 1 : NULL;
	}
	if (!ports)
		return 0;
	if (r->proto == RULE_NET_ICMP)
		return -1;
	return parse_ports(a, ports, (size_t)(end - ports), r);
}

int rule_net_parse_item(struct arena *a, const char *item, size_t len, struct rule_net ret[2])
{
	const char *body = item, *sep = memmem(item, len, "://", 3);
	struct rule_net r = { .proto = RULE_NET_PROTOS };

	if (sep) {
		for (enum rule_net_proto p = 0; p < RULE_NET_PROTOS; p++)
			if (strlen(schemes[p]) == (size_t)(sep - item) &&
				memcmp(schemes[p], item, (size_t)(sep - item)) == 0)
				r.proto = p;
		if (r.proto == RULE_NET_PROTOS)
			return -1;
		body = sep + 3;
	}
	if (parse_body(a, body, (size_t)(item + len - body), &r) < 0)
		return -1;
	ret[0] = r;
	if (sep)
		return 1;
	ret[1] = r;
	ret[0].proto = RULE_NET_TCP;
	ret[1].proto = RULE_NET_UDP;
	return 2;
}

static bool same_rule(const struct rule_net *a, const struct rule_net *b)
{
	if (a->proto != b->proto || a->target != b->target || a->prefix != b->prefix ||
		a->n_ports != b->n_ports || memcmp(a->addr, b->addr, sizeof(a->addr)) != 0)
		return false;
	if (a->target == RULE_NET_HOST && strcmp(a->host, b->host) != 0)
		return false;
	return a->n_ports == 0 || memcmp(a->ports, b->ports, a->n_ports * sizeof(*a->ports)) == 0;
}

/* Lists are long when they hold networks, and then a quadratic look is not. */
#define DEDUPLICATE_MAX 256

static bool is_there(const struct rule_net *items, size_t n, const struct rule_net *r)
{
	for (size_t i = n > DEDUPLICATE_MAX ? n - DEDUPLICATE_MAX : 0; i < n; i++)
		if (same_rule(&items[i], r))
			return true;
	return false;
}

/* The next item of a list without the spaces around it; false after the last. */
static bool next_item(const char **list, const char **ret, size_t *ret_len)
{
	const char *s = *list, *end;

	if (!s)
		return false;
	end = strchrnul(s, ';');
	*list = *end ? end + 1 : NULL;
	while (s < end && isspace((unsigned char)*s))
		s++;
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	*ret = s;
	*ret_len = (size_t)(end - s);
	return true;
}

static int parse_list(struct arena *a, const char *value, bool hosts, struct rule_net_list *ret)
{
	size_t max = 2 * (count(value, strlen(value), ';') + 1), n = 0, len;
	struct rule_net *items = arena_array(a, max, sizeof(*items)), two[2];
	const char *item;

	while (next_item(&value, &item, &len)) {
		int made = rule_net_parse_item(a, item, len, two);

		if (made < 0 || (!hosts && two[0].target == RULE_NET_HOST))
			return -1;
		for (int i = 0; i < made; i++)
			if (!is_there(items, n, &two[i]))
				items[n++] = two[i];
	}
	ret->items = items;
	ret->n = n;
	return 0;
}

static const char *explain_item(struct arena *a, const char *item, size_t len)
{
	const char *sep = memmem(item, len, "://", 3), *body = sep ? sep + 3 : item;
	const int scheme = (int)(body - item);
	size_t all = len - (size_t)scheme, before = second_reading(body, all);
	struct rule_net r = { .proto = RULE_NET_TCP };

	if (before == 0)
		return NULL;
	if (parse_addr(body, all, AF_INET6, &r) < 0)
		return arena_printf(a,
			"a port behind an IPv6 address needs brackets: %.*s[%.*s]%.*s", scheme,
			item, (int)before, body, (int)(all - before), body + before);
	return arena_printf(a,
		"it can be read as %.*s[%.*s], every port, or as %.*s[%.*s]%.*s: write the one "
		"that "
		"is meant",
		scheme, item, (int)all, body, scheme, item, (int)before, body, (int)(all - before),
		body + before);
}

const char *rule_net_explain(struct arena *a, const char *value)
{
	const char *item, *text = NULL;
	size_t len;

	while (!text && next_item(&value, &item, &len))
		text = explain_item(a, item, len);
	return text;
}

int rule_net_parse_allow(struct arena *a, const char *value, struct rule_net_list *ret)
{
	return parse_list(a, value, true, ret);
}

int rule_net_parse_deny(struct arena *a, const char *value, struct rule_net_list *ret)
{
	return parse_list(a, value, false, ret);
}

static void print_ports(FILE *out, const struct rule_ports *ports, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *comma = i ? "," : "";

		if (ports[i].first == ports[i].last)
			fprintf(out, "%s%u", comma, ports[i].first);
		else
			fprintf(out, "%s%u-%u", comma, ports[i].first, ports[i].last);
	}
}

/* The grammar of rules knows no ranges: neighbours that were merged come apart again. */
static void print_port_list(FILE *out, const struct rule_net *r)
{
	for (size_t i = 0; i < r->n_ports; i++)
		for (unsigned int p = r->ports[i].first; p <= r->ports[i].last; p++)
			fprintf(out, "%c%u", i == 0 && p == r->ports[0].first ? ':' : ',', p);
}

static void print_rule(FILE *out, const struct rule_net *r)
{
	char text[INET6_ADDRSTRLEN] = "*";
	bool v6 = r->target == RULE_NET_V6;

	if (v6 || r->target == RULE_NET_V4)
		inet_ntop(v6 ? AF_INET6 : AF_INET, r->addr, text, sizeof(text));
	fprintf(out, "%s://%s%s", schemes[r->proto], v6 ? "[" : "",
		r->target == RULE_NET_HOST ? r->host : text);
	if ((v6 && r->prefix < 128) || (r->target == RULE_NET_V4 && r->prefix < 32))
		fprintf(out, "/%u", r->prefix);
	if (v6)
		fputc(']', out);
	print_port_list(out, r);
}

/* Whatever was printed into memory, as a string of the arena. */
struct text {
	FILE *out;
	char *buf;
	size_t len;
};

static void text_begin(struct text *t)
{
	t->out = open_memstream(&t->buf, &t->len);
	if (!t->out)
		arena_exhausted();
}

static const char *text_end(struct text *t, struct arena *a)
{
	char *s;

	if (fclose(t->out) != 0)
		arena_exhausted();
	s = arena_strndup(a, t->buf, t->len);
	free(t->buf);
	return s;
}

const char *rule_net_render_rule(struct arena *a, const struct rule_net *r)
{
	struct text t;

	text_begin(&t);
	print_rule(t.out, r);
	return text_end(&t, a);
}

const char *rule_net_render(struct arena *a, const struct rule_net_list *l)
{
	struct text t;

	if (l->n == 0)
		return NULL;
	text_begin(&t);
	for (size_t i = 0; i < l->n; i++) {
		if (i)
			fputc(';', t.out);
		print_rule(t.out, &l->items[i]);
	}
	return text_end(&t, a);
}

static int parse_range(const char *s, size_t len, struct rule_ports *ret)
{
	const char *dash = memchr(s, '-', len);
	size_t n = dash ? (size_t)(dash - s) : len;
	unsigned int first, last;

	if (digits(s, n, UINT16_MAX, &first) < 0)
		return -1;
	last = first;
	if (dash && digits(dash + 1, len - n - 1, UINT16_MAX, &last) < 0)
		return -1;
	if (last < first)
		return -1;
	*ret = (struct rule_ports){ (uint16_t)first, (uint16_t)last };
	return 0;
}

static int parse_bind_item(const char *item, size_t len, struct rule_ports *ports, size_t *n)
{
	for (const char *end = item + len;;) {
		const char *comma = memchr(item, ',', (size_t)(end - item));

		if (parse_range(item, (size_t)((comma ? comma : end) - item), &ports[*n]) < 0)
			return -1;
		++*n;
		if (!comma)
			return 0;
		item = comma + 1;
	}
}

int rule_bind_parse_deny(struct arena *a, const char *value, struct rule_bind *ret)
{
	size_t all = strlen(value), n = 0, len;
	struct rule_ports *ports =
		arena_array(a, count(value, all, ',') + count(value, all, ';') + 1, sizeof(*ports));
	const char *item;

	while (next_item(&value, &item, &len))
		if (parse_bind_item(item, len, ports, &n) < 0)
			return -1;
	*ret = (struct rule_bind){ .ports = ports, .n = rule_ports_merge(ports, n) };
	return 0;
}

int rule_bind_parse_allow(struct arena *a, const char *value, struct rule_bind *ret)
{
	if (strcmp(value, "*") != 0)
		return rule_bind_parse_deny(a, value, ret);
	*ret = (struct rule_bind){ .any = true };
	return 0;
}

const char *rule_bind_render(struct arena *a, const struct rule_bind *b)
{
	struct text t;

	if (b->any)
		return "*";
	if (b->n == 0)
		return NULL;
	text_begin(&t);
	print_ports(t.out, b->ports, b->n);
	return text_end(&t, a);
}

int rule_switch_parse(struct arena *a, const char *value, enum rule_switch *ret)
{
	(void)a;
	if (strcmp(value, "true") == 0)
		*ret = RULE_TRUE;
	else if (strcmp(value, "false") == 0)
		*ret = RULE_FALSE;
	else
		return -1;
	return 0;
}

const char *rule_switch_render(struct arena *a, const enum rule_switch *v)
{
	(void)a;
	switch (*v) {
	case RULE_UNSET: return NULL;
	case RULE_FALSE: return "false";
	case RULE_TRUE: return "true";
	}
	return NULL;
}
