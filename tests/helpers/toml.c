/* SPDX-License-Identifier: Apache-2.0
 *
 * usage: toml FILE…   prints each document in a line, as the public corpus of TOML writes values:
 * {"type": "integer", "value": "1"}. A document that is refused is printed as its message.
 */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/json.h"
#include "sandbox/toml/toml.h"

static void put(struct json_gen *g, const struct toml *v);

static void put_scalar(struct json_gen *g, const struct toml *v)
{
	char number[32];
	const char *text = v->text;

	snprintf(number, sizeof(number), "%lld", (long long)v->integer);
	if (v->type == TOML_INTEGER)
		text = number;
	else if (v->type == TOML_BOOLEAN)
		text = v->boolean ? "true" : "false";
	json_gen_object(g);
	json_gen_member_string(g, "type", toml_type_name(v->type));
	json_gen_member_string(g, "value", text);
	json_gen_end(g);
}

static void put_items(struct json_gen *g, const struct toml *v)
{
	for (const struct toml *i = v->first; i; i = i->next) {
		if (i->key)
			json_gen_key(g, i->key);
		put(g, i);
	}
	json_gen_end(g);
}

static void put(struct json_gen *g, const struct toml *v)
{
	if (v->type == TOML_TABLE) {
		json_gen_object(g);
		put_items(g, v);
	} else if (v->type == TOML_ARRAY) {
		json_gen_array(g);
		put_items(g, v);
	} else {
		put_scalar(g, v);
	}
}

static void print_document(const char *path)
{
	static char buf[TOML_MAX_SIZE + 1];
	auto_arena struct arena *a = arena_new();
	struct json_gen *g = json_gen_new(a, false);
	const struct toml *root;
	struct sl_err err;
	auto_file FILE *f = fopen(path, "re");
	size_t len;

	if (!f) {
		perror(path);
		exit(1);
	}
	len = fread(buf, 1, sizeof(buf), f);
	if (toml_parse(a, buf, len, &root, &err) < 0) {
		printf("%s\n", err.msg);
		return;
	}
	put(g, root);
	printf("%s\n", json_gen_take(g, &len));
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		print_document(argv[i]);
	return 0;
}
