/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/toml/internal.h"

static int array(struct toml_reader *r, struct toml *v)
{
	v->type = TOML_ARRAY;
	for (;;) {
		struct toml *item = NULL;

		toml_space(r);
		if (toml_take(r, "]"))
			return 0;
		if (toml_value(r, &item) < 0)
			return -1;
		toml_append(v, item);
		toml_space(r);
		if (!toml_take(r, ",") && toml_peek(r) != ']')
			return toml_unexpected(r, "a comma or a ]");
	}
}

/* A table in braces. It stands in one line. */
static int inline_table(struct toml_reader *r, struct toml *v)
{
	v->type = TOML_TABLE;
	toml_blanks(r);
	if (toml_take(r, "}"))
		return 0;
	for (;;) {
		toml_blanks(r);
		if (toml_pair(r, v) < 0)
			return -1;
		toml_blanks(r);
		if (toml_take(r, "}"))
			return 0;
		if (!toml_take(r, ","))
			return toml_unexpected(r, "a comma or a }");
	}
}

static int nested(
	struct toml_reader *r, struct toml *v, int (*read)(struct toml_reader *r, struct toml *v))
{
	int result;

	if (r->depth == TOML_MAX_DEPTH)
		return toml_fail(r, "more than %d values in one another", TOML_MAX_DEPTH);
	r->depth++;
	result = read(r, v);
	r->depth--;
	return result;
}

int toml_value(struct toml_reader *r, struct toml **ret)
{
	struct toml *v = toml_new(r, TOML_STRING, TOML_VALUE);

	if (!v)
		return -1;
	*ret = v;
	if (toml_at_string(r))
		return toml_string(r, true, &v->text);
	if (toml_take(r, "["))
		return nested(r, v, array);
	if (toml_take(r, "{"))
		return nested(r, v, inline_table);
	return toml_scalar(r, v);
}

int toml_pair(struct toml_reader *r, struct toml *table)
{
	struct toml_key *keys = NULL;
	struct toml *v = NULL;

	if (toml_keys(r, &keys) < 0)
		return -1;
	if (!toml_take(r, "="))
		return toml_unexpected(r, "a =");
	toml_blanks(r);
	if (toml_value(r, &v) < 0)
		return -1;
	return toml_assign(r, table, keys, v);
}
