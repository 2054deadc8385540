/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/toml/internal.h"

static bool in_bare_key(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

static int one_key(struct toml_reader *r, struct toml_key *k)
{
	const char *start = r->p;

	k->line = r->line;
	k->column = toml_column(r);
	if (toml_at_string(r))
		return toml_string(r, false, &k->text);
	while (in_bare_key(toml_peek(r)))
		r->p++;
	if (r->p == start)
		return toml_unexpected(r, "a key");
	k->text = arena_strndup(r->a, start, (size_t)(r->p - start));
	return 0;
}

int toml_keys(struct toml_reader *r, struct toml_key **ret)
{
	struct toml_key **last = ret;

	for (int n = 0;; n++) {
		if (n == TOML_MAX_DEPTH)
			return toml_fail(r, "more than %d keys in a row", TOML_MAX_DEPTH);
		*last = arena_alloc(r->a, sizeof(**last));
		if (one_key(r, *last) < 0)
			return -1;
		last = &(*last)->next;
		toml_blanks(r);
		if (!toml_take(r, "."))
			return 0;
		toml_blanks(r);
	}
}
