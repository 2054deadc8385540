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
	/* Sorted, because a bundle may have very many. */
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
