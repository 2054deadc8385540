/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/plan/node_net.h"

#include <string.h>

/* Parses an array of strings with one rule each. Each rule keeps its line for error messages. */
static int parse_rules(const struct at *at, bool hosts, struct node_net_rules *ret)
{
	struct arena *a = at->rd->a;
	struct node_net_rule *items;
	size_t n = 0;

	if (read_is(at, JSON_ARRAY) < 0)
		return -1;
	items = arena_array(a, 2 * at->j->n + 1, sizeof(*items));
	for (size_t i = 0; i < at->j->n; i++) {
		struct at item = at_nth(at, i);
		struct rule_net two[2];
		int made;

		if (read_is(&item, JSON_STRING) < 0)
			return -1;
		made = rule_net_parse_item(a, item.j->text, strlen(item.j->text), two);
		if (made < 0 && rule_net_explain(a, item.j->text))
			return read_fail(&item, "\"%s\" is no network rule: %s", item.j->text,
				rule_net_explain(a, item.j->text));
		if (made < 0 || (!hosts && two[0].target == RULE_NET_HOST))
			return read_fail(&item, "\"%s\" is no network rule%s", item.j->text,
				hosts ? "" : " without a host name");
		for (int k = 0; k < made; k++)
			items[n++] = (struct node_net_rule){ two[k], item.j->line };
	}
	*ret = (struct node_net_rules){ items, n, at->j->line };
	return 0;
}

int node_parse_net_deny(const struct at *at, struct node_policy *n)
{
	return parse_rules(at, false, &n->net_deny);
}

int node_parse_net_ceiling(const struct at *at, struct node_policy *n)
{
	return parse_rules(at, false, &n->net_ceiling);
}

int node_parse_net_default(const struct at *at, struct node_policy *n)
{
	return parse_rules(at, true, &n->net_default);
}

static const struct read_word ns_choices[] = {
	{ "auto", NODE_NS_AUTO }, { "host", NODE_NS_HOST }, { "refuse", NODE_NS_REFUSE },
	{ "join", NODE_NS_AUTO }, /* the old name of auto, only for "namespace" */
};

static int parse_ns(const struct at *at, size_t n_words, enum node_ns *ret)
{
	int v = 0;

	if (read_word(at, ns_choices, n_words, "expected auto, host or refuse, got", &v) < 0)
		return -1;
	*ret = (enum node_ns)v;
	return 0;
}

int node_parse_namespace(const struct at *at, struct node_policy *n)
{
	return parse_ns(at, COUNT(ns_choices), &n->net_namespace);
}

int node_parse_unnamed(const struct at *at, struct node_policy *n)
{
	return parse_ns(at, COUNT(ns_choices) - 1, &n->net_unnamed);
}

int node_parse_port_remap(const struct at *at, struct node_policy *n)
{
	static const struct read_word words[] = {
		{ "ask", NODE_REMAP_ASK },
		{ "default", NODE_REMAP_DEFAULT },
		{ "refuse", NODE_REMAP_REFUSE },
	};
	int v = 0;

	if (read_word(at, words, COUNT(words), "expected ask, default or refuse, got", &v) < 0)
		return -1;
	n->net_port_remap = (enum node_remap)v;
	n->net_port_remap_line = at->j->line;
	return 0;
}

int node_parse_port_range(const struct at *at, struct node_policy *n)
{
	struct rule_bind range;

	if (read_is(at, JSON_STRING) < 0)
		return -1;
	if (rule_bind_parse_allow(at->rd->a, at->j->text, &range) < 0 || range.n != 1 ||
		range.ports[0].first == 0)
		return read_fail(
			at, "expected first-last within 1 to 65535, got \"%s\"", at->j->text);
	n->net_port_range = range.ports[0];
	return 0;
}

int node_parse_annotations(const struct at *at, struct node_policy *n)
{
	const char **keys;

	if (read_is(at, JSON_ARRAY) < 0)
		return -1;
	keys = arena_array(at->rd->a, at->j->n + 1, sizeof(*keys));
	for (size_t i = 0; i < at->j->n; i++) {
		struct at item = at_nth(at, i);

		if (read_is(&item, JSON_STRING) < 0)
			return -1;
		keys[i] = item.j->text;
	}
	n->annotations = keys;
	n->n_annotations = at->j->n;
	n->annotations_line = at->j->line;
	n->annotations_limited = true;
	return 0;
}

bool node_allows_annotation(const struct node_policy *n, const char *key)
{
	if (!n->annotations_limited)
		return true;
	for (size_t i = 0; i < n->n_annotations; i++) {
		size_t len = strlen(n->annotations[i]);

		if (len > 0 && n->annotations[i][len - 1] == '*'
				? strncmp(n->annotations[i], key, len - 1) == 0
				: strcmp(n->annotations[i], key) == 0)
			return true;
	}
	return false;
}
