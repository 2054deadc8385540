/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of "key=value": whatever parses is rendered and parses again to the same.
 */
#include <string.h>

#include "annotations/annotations.h"
#include "tests/fuzz/fuzz.h"

#define MAX_KEYS 64

static size_t split(char *text, struct key_value *kvs)
{
	size_t n = 0;

	for (char *line = strtok(text, "\n"); line && n < MAX_KEYS; line = strtok(NULL, "\n")) {
		char *value = strchr(line, '=');

		if (!value)
			continue;
		*value = '\0';
		kvs[n++] = (struct key_value){ line, value + 1 };
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_arena struct arena *a = arena_new();
	char *text = arena_strndup(a, (const char *)data, size);
	struct key_value kvs[MAX_KEYS], *out, *twice;
	struct annotations an, again;
	struct sl_err err = { 0 };
	size_t n = split(text, kvs), n_twice;

	if (annotations_parse(a, kvs, n, &an, &err) < 0) {
		MUST(err.msg[0] != '\0');
		return 0;
	}
	annotations_render(a, &an, &out, &n);
	MUST(annotations_parse(a, out, n, &again, &err) == 0);
	annotations_render(a, &again, &twice, &n_twice);
	MUST(n == n_twice);
	for (size_t i = 0; i < n; i++)
		MUST(strcmp(out[i].key, twice[i].key) == 0 &&
			strcmp(out[i].value, twice[i].value) == 0);
	return 0;
}
