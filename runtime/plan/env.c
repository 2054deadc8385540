/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/plan/env.h"

#include <stdlib.h>
#include <string.h>

struct entry {
	const char *text;
	size_t name_len;
	size_t at;
};

static int compare_entries(const struct entry *a, const struct entry *b)
{
	if (a->name_len != b->name_len)
		return a->name_len < b->name_len ? -1 : 1;
	return memcmp(a->text, b->text, a->name_len);
}

static int by_name_and_place(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int order = compare_entries(a, b);

	if (order != 0)
		return order;
	return a->at < b->at ? -1 : a->at > b->at;
}

char **plan_env_unique(struct arena *a, char *const *list, size_t n, size_t *ret_n)
{
	struct entry *sorted = arena_array(a, n + 1, sizeof(*sorted));
	char **all = arena_array(a, n + 1, sizeof(*all));
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		all[i] = list[i];
		sorted[i] = (struct entry){ list[i], strcspn(list[i], "="), i };
	}
	/* The entries are sorted because a bundle may have very many of them. */
	qsort(sorted, n, sizeof(*sorted), by_name_and_place);
	for (size_t i = 0; i + 1 < n; i++)
		if (compare_entries(&sorted[i], &sorted[i + 1]) == 0)
			all[sorted[i].at] = NULL;
	for (size_t i = 0; i < n; i++)
		if (all[i] && strcmp(all[i], "HOME=") != 0)
			all[kept++] = all[i];
	all[kept] = NULL;
	*ret_n = kept;
	return all;
}

void plan_env_rule_add(struct arena *a, struct plan_env_rules *rules, const char *entry)
{
	char **items = arena_array(a, rules->n + 1, sizeof(*items));

	if (rules->n)
		memcpy(items, rules->items, rules->n * sizeof(*items));
	items[rules->n++] = (char *)entry;
	rules->items = items;
}

static bool is_decided(const struct plan_env_rules *rules, const char *entry)
{
	const size_t len = strcspn(entry, "=");

	for (size_t i = 0; i < rules->n; i++)
		if (strcspn(rules->items[i], "=") == len &&
			memcmp(rules->items[i], entry, len) == 0)
			return true;
	return false;
}

char **plan_env_decide(struct arena *a, const struct plan_env_rules *rules, char *const *list,
	size_t n, size_t *ret_n)
{
	char **all = arena_array(a, n + rules->n + 1, sizeof(*all));
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!is_decided(rules, list[i]))
			all[kept++] = list[i];
	for (size_t i = 0; i < rules->n; i++)
		if (strchr(rules->items[i], '='))
			all[kept++] = rules->items[i];
	all[kept] = NULL;
	*ret_n = kept;
	return all;
}
