/* SPDX-License-Identifier: Apache-2.0 */
#include "annotations/rule_ports.h"

#include <string.h>

#include "annotations/rule_text.h"

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

static int parse_range(const char *s, size_t len, struct rule_ports *ret)
{
	const char *dash = memchr(s, '-', len);
	size_t n = dash ? (size_t)(dash - s) : len;
	unsigned int first, last;

	if (rule_number(s, n, UINT16_MAX, &first) < 0)
		return -1;
	last = first;
	if (dash && rule_number(dash + 1, len - n - 1, UINT16_MAX, &last) < 0)
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
	struct rule_ports *ports = arena_array(
		a, rule_count(value, all, ',') + rule_count(value, all, ';') + 1, sizeof(*ports));
	const char *item;

	while (rule_next_item(&value, &item, &len))
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

static void print_range(FILE *out, const void *item)
{
	const struct rule_ports *r = item;

	fprintf(out, "%u", r->first);
	if (r->last > r->first)
		fprintf(out, "-%u", r->last);
}

const char *rule_bind_render(struct arena *a, const struct rule_bind *b)
{
	return b->any ? "*" : rule_render(a, b->ports, b->n, sizeof(*b->ports), ',', print_range);
}
