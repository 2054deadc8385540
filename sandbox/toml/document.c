/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/utf8.h"
#include "sandbox/toml/internal.h"

const char *toml_type_name(enum toml_type type)
{
	static const char *const names[] = {
		[TOML_STRING] = "string",
		[TOML_INTEGER] = "integer",
		[TOML_FLOAT] = "float",
		[TOML_BOOLEAN] = "boolean",
		[TOML_TIME] = "date or time",
		[TOML_ARRAY] = "array",
		[TOML_TABLE] = "table",
	};

	return names[type];
}

/* [a.b] or [[a.b]] */
static int header(struct toml_reader *r, struct toml *root, struct toml **ret)
{
	const bool is_array = toml_take(r, "[");
	struct toml_key *keys = NULL;

	toml_blanks(r);
	if (toml_keys(r, &keys) < 0)
		return -1;
	if (!toml_take(r, is_array ? "]]" : "]"))
		return toml_unexpected(r, is_array ? "a dot or ]]" : "a dot or a ]");
	return toml_header(r, root, keys, is_array, ret);
}

static int lines(struct toml_reader *r, struct toml *root)
{
	struct toml *table = root;

	for (;;) {
		toml_space(r);
		if (toml_peek(r) == EOF)
			return 0;
		if (toml_take(r, "[") ? header(r, root, &table) < 0 : toml_pair(r, table) < 0)
			return -1;
		toml_blanks(r);
		toml_comment(r);
		if (toml_peek(r) != EOF && !toml_newline(r))
			return toml_unexpected(r, "the end of the line");
	}
}

/* Counts the lines up to the first byte that is no UTF-8. */
static int not_utf8(struct toml_reader *r, size_t at)
{
	while ((size_t)(r->p - r->copy) < at) {
		if (!toml_newline(r))
			r->p++;
	}
	return toml_fail(r, "this is no UTF-8");
}

int toml_parse(
	struct arena *a, const char *buf, size_t len, const struct toml **ret, struct sl_err *err)
{
	struct toml_reader r = { .a = a, .err = err, .source = buf, .line = 1 };
	struct toml *root;
	size_t valid;

	if (len > TOML_MAX_SIZE)
		return sl_err_set(err, 0, "more than %d KiB", TOML_MAX_SIZE >> 10);
	r.copy = arena_strndup(a, buf, len);
	r.p = r.copy;
	r.end = r.copy + len;
	valid = utf8_valid_prefix(buf, len);
	if (valid < len)
		return not_utf8(&r, valid);
	root = toml_new(&r, TOML_TABLE, TOML_HEADER);
	if (!root || lines(&r, root) < 0)
		return -1;
	*ret = root;
	return 0;
}
