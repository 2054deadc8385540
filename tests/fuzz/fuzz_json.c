/* SPDX-License-Identifier: Apache-2.0
 *
 * Whatever parses is written and parses again to the same text; a refusal has a message.
 */
#include <string.h>

#include "runtime/base/json.h"
#include "tests/fuzz/fuzz.h"

static const char *write_tree(struct arena *a, const struct json *j)
{
	struct json_gen *g = json_gen_new(a, false);

	json_gen_value(g, j);
	return json_gen_take(g, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_arena struct arena *a = arena_new();
	const struct json *j = NULL, *again = NULL;
	struct sl_err err = { 0 };
	const char *text;

	if (json_parse(a, (const char *)data, size, &j, &err) < 0) {
		MUST(err.msg[0] != '\0');
		return 0;
	}
	text = write_tree(a, j);
	MUST(json_parse(a, text, strlen(text), &again, &err) == 0);
	MUST(strcmp(write_tree(a, again), text) == 0);
	return 0;
}
