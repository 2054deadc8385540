/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles. A string of a document holds no NUL, and a refusal names its place.
 */
#include <string.h>

#include "sandbox/toml/toml.h"
#include "tests/fuzz/fuzz.h"

static size_t count(const struct toml *v)
{
	size_t n = 1;

	MUST(v->line > 0 && v->column > 0);
	MUST(v->type != TOML_STRING || v->text);
	for (const struct toml *i = v->first; i; i = i->next) {
		MUST((i->key != NULL) == (v->type == TOML_TABLE));
		MUST(!i->key || toml_get(v, i->key) == i);
		n += count(i);
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_arena struct arena *a = arena_new();
	const struct toml *root;
	struct sl_err err = { 0 };

	if (toml_parse(a, (const char *)data, size, &root, &err) == 0)
		MUST(count(root) <= TOML_MAX_VALUES);
	else
		MUST(strncmp(err.msg, "line ", 5) == 0 || strncmp(err.msg, "more than ", 10) == 0);
	return 0;
}
