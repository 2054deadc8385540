/* SPDX-License-Identifier: Apache-2.0 */
#include "annotations/rule_words.h"

#include <string.h>

#include "runtime/base/count.h"

static const char *const switch_words[] = { [RULE_FALSE] = "false", [RULE_TRUE] = "true" };

static const char *const rootfs_words[] = {
	[RULE_ROOTFS_DETACHED] = "detached",
	[RULE_ROOTFS_NAMESPACE] = "namespace",
};

/* Returns the index of a word, or 0 for any other text. */
static unsigned int word_index(const char *const *words, unsigned int n, const char *value)
{
	for (unsigned int i = 1; i < n; i++)
		if (strcmp(value, words[i]) == 0)
			return i;
	return 0;
}

int rule_switch_parse(struct arena *a, const char *value, enum rule_switch *ret)
{
	(void)a;
	*ret = (enum rule_switch)word_index(switch_words, COUNT(switch_words), value);
	return *ret ? 0 : -1;
}

const char *rule_switch_render(struct arena *a, const enum rule_switch *v)
{
	(void)a;
	return switch_words[*v];
}

int rule_rootfs_parse(struct arena *a, const char *value, enum rule_rootfs *ret)
{
	(void)a;
	*ret = (enum rule_rootfs)word_index(rootfs_words, COUNT(rootfs_words), value);
	return *ret ? 0 : -1;
}

const char *rule_rootfs_render(struct arena *a, const enum rule_rootfs *v)
{
	(void)a;
	return rootfs_words[*v];
}
