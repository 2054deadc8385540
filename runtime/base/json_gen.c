/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON writer, on yajl's generator. Its output is always a well-formed document: incorrect use
 * (a value instead of a key, too many ends) is a bug of the caller and aborts, and strings that are
 * not UTF-8 (paths, arguments) are repaired.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_gen.h>

#include "runtime/base/json.h"
#include "runtime/base/utf8.h"

struct json_gen {
	struct arena *a;
	yajl_gen gen;
	char *text;
	size_t len, room;
	bool failed;        /* there was no memory */
	uint64_t is_object; /* one bit for each level: whether json_gen_end() closes an object */
	unsigned int depth;
};

static void must(yajl_gen_status status)
{
	if (status != yajl_gen_status_ok)
		abort();
}

/* The memory that yajl allocates at its start, without checking the result. */
#define YAJL_ROOM ((size_t)4096)

static void *piece_new(void *ctx, size_t size)
{
	return arena_alloc(ctx, size);
}

/* yajl resizes only its own output buffer, which is not used here. */
static void *piece_resize(void *ctx, void *piece, size_t size)
{
	(void)ctx;
	(void)piece;
	(void)size;
	abort();
}

static void piece_free(void *ctx, void *piece)
{
	(void)ctx;
	(void)piece;
}

/* Makes room for n bytes and a NUL. */
static bool make_room(struct json_gen *g, size_t n)
{
	size_t room = g->room ? g->room : 1024;
	char *bigger;

	if (n < g->room - g->len)
		return true;
	while (n >= room - g->len)
		room *= 2;
	bigger = arena_alloc(g->a, room);
	if (!bigger)
		return false;
	if (g->len)
		memcpy(bigger, g->text, g->len);
	g->text = bigger;
	g->room = room;
	return true;
}

static void take_text(void *ctx, const char *s, size_t n)
{
	struct json_gen *g = ctx;

	if (g->failed || !make_room(g, n)) {
		g->failed = true;
		return;
	}
	memcpy(g->text + g->len, s, n);
	g->len += n;
}

struct json_gen *json_gen_new(struct arena *a, bool pretty)
{
	struct json_gen *g = arena_alloc(a, sizeof(*g));
	const yajl_alloc_funcs memory = { piece_new, piece_resize, piece_free, a };

	if (!g || !arena_reserve(a, YAJL_ROOM))
		return NULL;
	g->a = a;
	g->gen = yajl_gen_alloc(&memory);
	if (!g->gen)
		abort();
	yajl_gen_config(g->gen, yajl_gen_print_callback, take_text, g);
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
	size_t len = 0;
	char *fixed;

	if (!s) {
		json_gen_null(g);
		return;
	}
	if (good == n) {
		must(yajl_gen_string(g->gen, (const unsigned char *)s, n));
		return;
	}
	fixed = arena_array(g->a, n + 1, 3);
	if (!fixed) {
		g->failed = true;
		return;
	}
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
	yajl_gen_free(g->gen);
	g->gen = NULL;
	if (g->failed || !make_room(g, 0)) {
		errno = ENOMEM;
		return NULL;
	}
	if (ret_len)
		*ret_len = g->len;
	return g->text;
}
