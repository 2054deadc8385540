/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON writer on yajl's generator. What it writes is always a well-formed document:
 * misuse (a value where a key belongs, an end too many) is a bug of the caller and aborts,
 * and strings that are not UTF-8 (paths, arguments) are repaired on the way.
 */
#include <stdio.h>
#include <string.h>
#include <yajl/yajl_gen.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/json.h"
#include "runtime/base/utf8.h"

struct json_gen {
	struct arena *a;
	yajl_gen gen;
	uint64_t is_object; /* one bit a level: what json_gen_end() closes */
	unsigned int depth;
};

static void must(yajl_gen_status status)
{
	if (status != yajl_gen_status_ok)
		abort();
}

/* Memory for yajl: of the arena, each piece behind its size. */
#define PIECE_HEAD ((size_t)16)

static void *piece_new(void *ctx, size_t size)
{
	char *head = arena_alloc(ctx, PIECE_HEAD + size);

	memcpy(head, &size, sizeof(size));
	return head + PIECE_HEAD;
}

static void *piece_resize(void *ctx, void *piece, size_t size)
{
	char *bigger = piece_new(ctx, size);
	size_t old = 0;

	if (piece)
		memcpy(&old, (char *)piece - PIECE_HEAD, sizeof(old));
	if (piece)
		memcpy(bigger, piece, old < size ? old : size);
	return bigger;
}

static void piece_free(void *ctx, void *piece)
{
	(void)ctx;
	(void)piece;
}

struct json_gen *json_gen_new(struct arena *a, bool pretty)
{
	struct json_gen *g = arena_alloc(a, sizeof(*g));
	const yajl_alloc_funcs memory = { piece_new, piece_resize, piece_free, a };

	g->a = a;
	g->gen = yajl_gen_alloc(&memory);
	if (!g->gen)
		arena_exhausted();
	if (pretty) {
		yajl_gen_config(g->gen, yajl_gen_beautify, 1);
		yajl_gen_config(g->gen, yajl_gen_indent_string, "  ");
	}
	return g;
}

static void gen_open(struct json_gen *g, bool object)
{
	if (++g->depth > JSON_MAX_DEPTH)
		abort();
	g->is_object = g->is_object << 1 | object;
	must(object ? yajl_gen_map_open(g->gen) : yajl_gen_array_open(g->gen));
}

void json_gen_object(struct json_gen *g)
{
	gen_open(g, true);
}

void json_gen_array(struct json_gen *g)
{
	gen_open(g, false);
}

void json_gen_end(struct json_gen *g)
{
	if (g->depth-- == 0)
		abort();
	must(g->is_object & 1 ? yajl_gen_map_close(g->gen) : yajl_gen_array_close(g->gen));
	g->is_object >>= 1;
}

void json_gen_key(struct json_gen *g, const char *key)
{
	json_gen_string(g, key);
}

void json_gen_string(struct json_gen *g, const char *s)
{
	size_t n = s ? strlen(s) : 0;
	size_t good = s ? utf8_valid_prefix(s, n) : 0;
	auto_free char *fixed = NULL;
	size_t len = 0;

	if (!s) {
		json_gen_null(g);
		return;
	}
	if (good == n) {
		must(yajl_gen_string(g->gen, (const unsigned char *)s, n));
		return;
	}
	fixed = malloc(n * 3 + 1);
	if (!fixed)
		abort();
	for (size_t i = 0; i < n;) {
		size_t c = utf8_char(s + i, n - i);

		memcpy(fixed + len, c ? s + i : "\xef\xbf\xbd", c ? c : 3);
		len += c ? c : 3;
		i += c ? c : 1;
	}
	must(yajl_gen_string(g->gen, (const unsigned char *)fixed, len));
}

void json_gen_i64(struct json_gen *g, int64_t v)
{
	must(yajl_gen_integer(g->gen, v));
}

void json_gen_u64(struct json_gen *g, uint64_t v)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "%llu", (unsigned long long)v);

	must(yajl_gen_number(g->gen, text, (size_t)n));
}

void json_gen_bool(struct json_gen *g, bool v)
{
	must(yajl_gen_bool(g->gen, v));
}

void json_gen_null(struct json_gen *g)
{
	must(yajl_gen_null(g->gen));
}

void json_gen_value(struct json_gen *g, const struct json *j)
{
	switch (j->type) {
	case JSON_NULL: json_gen_null(g); break;
	case JSON_BOOL: json_gen_bool(g, j->boolean); break;
	case JSON_NUMBER: must(yajl_gen_number(g->gen, j->text, strlen(j->text))); break;
	case JSON_STRING: json_gen_string(g, j->text); break;
	case JSON_ARRAY:
	case JSON_OBJECT:
		gen_open(g, j->type == JSON_OBJECT);
		for (size_t i = 0; i < j->n; i++) {
			if (j->type == JSON_OBJECT)
				json_gen_key(g, j->keys[i]);
			json_gen_value(g, j->items[i]);
		}
		json_gen_end(g);
		break;
	}
}

void json_gen_member_string(struct json_gen *g, const char *key, const char *s)
{
	json_gen_key(g, key);
	json_gen_string(g, s);
}

void json_gen_member_i64(struct json_gen *g, const char *key, int64_t v)
{
	json_gen_key(g, key);
	json_gen_i64(g, v);
}

void json_gen_member_u64(struct json_gen *g, const char *key, uint64_t v)
{
	json_gen_key(g, key);
	json_gen_u64(g, v);
}

void json_gen_member_bool(struct json_gen *g, const char *key, bool v)
{
	json_gen_key(g, key);
	json_gen_bool(g, v);
}

const char *json_gen_take(struct json_gen *g, size_t *ret_len)
{
	const unsigned char *text = NULL;
	size_t len = 0;
	char *copy;

	must(yajl_gen_get_buf(g->gen, &text, &len));
	copy = arena_strndup(g->a, (const char *)text, len);
	yajl_gen_free(g->gen);
	g->gen = NULL;
	if (ret_len)
		*ret_len = len;
	return copy;
}
