/* SPDX-License-Identifier: Apache-2.0 */
#include "annotations/rule_net.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "annotations/rule_text.h"

#define HOST_MAX  253 /* the longest name in the DNS, RFC 1035 */
#define LABEL_MAX 63

static const char *const schemes[RULE_NET_PROTOS] = { "tcp", "udp", "icmp" };

static int parse_ports(struct arena *a, const char *s, size_t len, struct rule_net *r)
{
	struct rule_ports *ports;
	size_t n = 0;

	if (len == 1 && s[0] == '*')
		return 0;
	ports = arena_array(a, rule_count(s, len, ',') + 1, sizeof(*ports));
	for (const char *end = s + len;; n++) {
		const char *comma = memchr(s, ',', (size_t)(end - s));
		size_t item = (size_t)((comma ? comma : end) - s);
		unsigned int port;

		if (rule_number(s, item, UINT16_MAX, &port) < 0 || port == 0)
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

/* A v4 address written as v6 becomes the v4 address, as it does in destinations. */
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

/* Parses an address of one family, with or without a prefix. */
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
	if (slash && rule_number(slash + 1, len - n - 1, bits, &prefix) < 0)
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
	/* "1.2.3", "0x7f.1", "256.0.0.1": a resolver would read these as addresses. */
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

/* "2001:db8::1:443" can be an address, or an address and a port. Returns the length of the shorter
 * address, or 0 when only one reading is possible. */
static size_t second_reading(const char *s, size_t len)
{
	const char *colon = memrchr(s, ':', len);
	struct rule_net r = { .proto = RULE_NET_TCP };
	size_t before = colon ? (size_t)(colon - s) : 0;

	if (!colon || s[0] == '[' || memchr(s, '/', before) || rule_count(s, len, ':') < 3)
		return 0;
	if (strspn(colon + 1, "0123456789,*") < len - before - 1 || before + 1 == len)
		return 0;
	return parse_addr(s, before, AF_INET6, &r) == 0 ? before : 0;
}

/* Parses what follows the scheme. */
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
	} else if (rule_count(s, len, ':') >= 2) {
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

/* Only this many earlier rules are compared, because comparing all of a long list of networks would
 * take quadratic time. */
#define DEDUPLICATE_MAX 256

static bool has_rule(const struct rule_net *items, size_t n, const struct rule_net *r)
{
	for (size_t i = n > DEDUPLICATE_MAX ? n - DEDUPLICATE_MAX : 0; i < n; i++)
		if (same_rule(&items[i], r))
			return true;
	return false;
}

static int parse_list(struct arena *a, const char *value, bool hosts, struct rule_net_list *ret)
{
	size_t max = 2 * (rule_count(value, strlen(value), ';') + 1), n = 0, len;
	struct rule_net *items = arena_array(a, max, sizeof(*items)), two[2];
	const char *item;

	while (rule_next_item(&value, &item, &len)) {
		int made = rule_net_parse_item(a, item, len, two);

		if (made < 0 || (!hosts && two[0].target == RULE_NET_HOST))
			return -1;
		for (int i = 0; i < made; i++)
			if (!has_rule(items, n, &two[i]))
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

	while (!text && rule_next_item(&value, &item, &len))
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

/* The grammar has no port ranges, so a merged range is written as single ports. */
static void print_port_list(FILE *out, const struct rule_net *r)
{
	for (size_t i = 0; i < r->n_ports; i++)
		for (unsigned int p = r->ports[i].first; p <= r->ports[i].last; p++)
			fprintf(out, "%c%u", i == 0 && p == r->ports[0].first ? ':' : ',', p);
}

static void print_rule(FILE *out, const void *item)
{
	const struct rule_net *r = item;
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

const char *rule_net_render_rule(struct arena *a, const struct rule_net *r)
{
	return rule_render(a, r, 1, sizeof(*r), ';', print_rule);
}

const char *rule_net_render(struct arena *a, const struct rule_net_list *l)
{
	return rule_render(a, l->items, l->n, sizeof(*l->items), ';', print_rule);
}
