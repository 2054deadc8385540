/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "annotations/annotations.h"
#include "sandbox/sandbox.h"

static const struct sandbox_option *option_of(const char *key, size_t len)
{
	size_t n;
	const struct sandbox_option *table = sandbox_option_table(&n);

	for (size_t i = 0; i < n; i++)
		if (table[i].annotation && strlen(table[i].annotation) == len &&
			strncmp(table[i].annotation, key, len) == 0)
			return &table[i];
	return NULL;
}

void sandbox_name_options(struct sl_err *err)
{
	static const char word[] = "annotation ", prefix[] = ANNOTATION_PREFIX;
	char *at = err->msg;

	while ((at = strstr(at, prefix))) {
		const size_t skip = sizeof(word) - 1;
		char *key = at + sizeof(prefix) - 1;
		const size_t len = strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_.");
		const struct sandbox_option *o = option_of(key, len);
		char *from = at - err->msg >= (ptrdiff_t)skip && strncmp(at - skip, word, skip) == 0
				     ? at - skip
				     : at;
		char rest[SL_ERR_MAX];

		at = key;
		if (!o)
			continue;
		snprintf(rest, sizeof(rest), "%s", key + len);
		/* "--" and the name are shorter than what they replace, see options.def. */
		at = from + snprintf(from, (size_t)(key + len - from), "--%s", o->flag);
		memmove(at, rest, strlen(rest) + 1);
	}
}
