/* SPDX-License-Identifier: Apache-2.0
 *
 * Who may add to a table, as the specification says it: a header may go through every table but one
 * that is a value; it opens one that no header and no dotted key has made. A dotted key may go
 * through tables that dotted keys have made.
 */
#include <string.h>

#include "sandbox/toml/internal.h"

struct toml *toml_new(struct toml_reader *r, enum toml_type type, enum toml_origin origin)
{
	struct toml *v;

	if (++r->n_values > TOML_MAX_VALUES) {
		toml_fail(r, "more than %d values", TOML_MAX_VALUES);
		return NULL;
	}
	v = arena_alloc(r->a, sizeof(*v));
	v->type = type;
	v->origin = origin;
	v->last = &v->first;
	v->line = r->line;
	v->column = toml_column(r);
	return v;
}

void toml_append(struct toml *to, struct toml *item)
{
	*to->last = item;
	to->last = &item->next;
}

struct toml *toml_get(const struct toml *table, const char *key)
{
	for (struct toml *v = table->first; v; v = v->next) {
		if (strcmp(v->key, key) == 0)
			return v;
	}
	return NULL;
}

static void add_member(struct toml *table, const struct toml_key *k, struct toml *v)
{
	v->key = k->text;
	v->line = k->line;
	v->column = k->column;
	toml_append(table, v);
}

static int fail_at(const struct toml_reader *r, const struct toml_key *k, const char *what,
	const struct toml *first)
{
	return sl_err_set(r->err, 0, "line %zu, column %zu: %s %s (line %zu)", k->line, k->column,
		k->text, what, first->line);
}

static int add_table(struct toml_reader *r, struct toml *to, const struct toml_key *k,
	enum toml_origin origin, struct toml **ret)
{
	*ret = toml_new(r, TOML_TABLE, origin);
	if (!*ret)
		return -1;
	add_member(to, k, *ret);
	return 0;
}

int toml_assign(
	struct toml_reader *r, struct toml *table, const struct toml_key *keys, struct toml *value)
{
	struct toml *there;

	for (; keys->next; keys = keys->next) {
		there = toml_get(table, keys->text);
		if (!there && add_table(r, table, keys, TOML_DOTTED, &there) < 0)
			return -1;
		if (there->type != TOML_TABLE || there->origin != TOML_DOTTED)
			return fail_at(r, keys, "is complete already", there);
		table = there;
	}
	there = toml_get(table, keys->text);
	if (there)
		return fail_at(r, keys, "is there already", there);
	add_member(table, keys, value);
	return 0;
}

static struct toml *last_item(const struct toml *array)
{
	struct toml *v = array->first;

	while (v->next)
		v = v->next;
	return v;
}

/* Goes through all keys but the last one. */
static int walk(struct toml_reader *r, struct toml **table, const struct toml_key **keys)
{
	for (; (*keys)->next; *keys = (*keys)->next) {
		struct toml *there = toml_get(*table, (*keys)->text);

		if (!there && add_table(r, *table, *keys, TOML_IMPLICIT, &there) < 0)
			return -1;
		if (there->origin == TOML_VALUE)
			return fail_at(r, *keys, "is complete already", there);
		*table = there->type == TOML_ARRAY ? last_item(there) : there;
	}
	return 0;
}

static int array_item(
	struct toml_reader *r, struct toml *table, const struct toml_key *k, struct toml **ret)
{
	struct toml *array = toml_get(table, k->text);

	if (array && (array->type != TOML_ARRAY || array->origin != TOML_HEADER))
		return fail_at(r, k, "is there already, and is no array of tables", array);
	if (!array) {
		array = toml_new(r, TOML_ARRAY, TOML_HEADER);
		if (!array)
			return -1;
		add_member(table, k, array);
	}
	*ret = toml_new(r, TOML_TABLE, TOML_HEADER);
	if (!*ret)
		return -1;
	toml_append(array, *ret);
	return 0;
}

int toml_header(struct toml_reader *r, struct toml *root, const struct toml_key *keys,
	bool is_array, struct toml **ret)
{
	struct toml *table = root;

	if (walk(r, &table, &keys) < 0)
		return -1;
	if (is_array)
		return array_item(r, table, keys, ret);
	*ret = toml_get(table, keys->text);
	if (!*ret)
		return add_table(r, table, keys, TOML_HEADER, ret);
	if ((*ret)->type != TOML_TABLE || (*ret)->origin != TOML_IMPLICIT)
		return fail_at(r, keys, "is there already", *ret);
	(*ret)->origin = TOML_HEADER;
	return 0;
}
