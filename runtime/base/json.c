/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds a tree with the callbacks of yajl's streaming parser (the writer is in json_gen.c). yajl
 * accepts lone surrogates, overlong UTF-8 and duplicate keys, which must be refused. So the text is
 * checked first, and every object is checked at its end.
 *
 * The work is at most n log n in the size of the document, whatever it contains, because the author
 * of a document may want to keep a root process busy.
 */
#include "runtime/base/json.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/utf8.h"

struct frame {
	struct json *node;
	const char *key; /* the key of the member that is being read */
	uint64_t hash;   /* of the key */
	size_t base;     /* the index of its first child on the stack */
};

/* The children of all open objects and arrays. They move to the arena when their object or array
 * ends. */
struct slot {
	uint64_t hash;
	const char *key;
	const struct json *item;
};

struct json_build {
	struct arena *a;
	struct sl_err *err;
	yajl_handle parser;
	const char *buf;
	size_t len;
	size_t counted; /* bytes whose newlines are in line */
	size_t line;
	struct frame frames[JSON_MAX_DEPTH];
	size_t depth;
	struct slot *slots;
	size_t n_slots;
	size_t cap_slots;
	const struct json *root;
};

static void count_lines(struct json_build *b, size_t upto)
{
	const char *p = b->buf + b->counted;
	const char *end = b->buf + (upto < b->len ? upto : b->len);

	while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
		b->line++;
		p++;
	}
	if (upto > b->counted)
		b->counted = upto < b->len ? upto : b->len;
}

/* ------------------------------------------------------------------ duplicate keys */

static uint64_t hash_key(const char *s)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	return h ^ (h >> 29);
}

static int compare_keys(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): every slot has its key */
	return strcmp(x->key, y->key);
}

/* Distributes the keys over about as many buckets as there are keys, and sorts each bucket: linear
 * for ordinary keys, and n log n even if somebody makes all keys collide. */
static int duplicate_in_many(const struct slot *slots, size_t n, const char **ret_key)
{
	unsigned int bits = 1;
	uint64_t mask;
	auto_free struct slot *sorted = NULL;
	auto_free size_t *start = NULL;

	while (bits < 20 && ((size_t)1 << bits) < n)
		bits++;
	mask = (UINT64_C(1) << bits) - 1;
	sorted = calloc(n, sizeof(*sorted));
	start = calloc(mask + 2, sizeof(*start));
	if (!sorted || !start)
		return -1;
	for (size_t i = 0; i < n; i++)
		start[(slots[i].hash & mask) + 1]++;
	for (size_t i = 0; i <= mask; i++)
		start[i + 1] += start[i];
	for (size_t i = 0; i < n; i++)
		sorted[start[slots[i].hash & mask]++] = slots[i];
	/* Here start[i] is the end of bucket i. */
	for (size_t i = 0, from = 0; i <= mask; from = start[i++]) {
		if (start[i] - from > 1)
			qsort(sorted + from, start[i] - from, sizeof(*sorted), compare_keys);
		for (size_t k = from + 1; k < start[i]; k++)
			if (compare_keys(&sorted[k - 1], &sorted[k]) == 0) {
				*ret_key = sorted[k].key;
				return 1;
			}
	}
	return 0;
}

/* Returns 1 if *ret_key occurs twice, 0 if all keys differ, -1 if there is no memory. */
static int find_duplicate(const struct slot *slots, size_t n, const char **ret_key)
{
	if (n > 16)
		return duplicate_in_many(slots, n, ret_key);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (compare_keys(&slots[i], &slots[k]) == 0) {
				*ret_key = slots[i].key;
				return 1;
			}
	return 0;
}

/* ------------------------------------------------------------------ building the tree */

/* Callbacks return 1 to continue, and 0 to stop after setting b->err. */
#define GO_ON 1

static int stop(struct json_build *b, int code, const char *what, const char *name)
{
	sl_err_set(b->err, code, "line %zu: %s%s%s%s", b->line, what, name ? " \"" : "",
		name ? name : "", name ? "\"" : "");
	return 0;
}

static struct json *node_new(struct json_build *b, enum json_type type)
{
	struct json *j = arena_alloc(b->a, sizeof(*j));

	count_lines(b, yajl_get_bytes_consumed(b->parser));
	if (!j)
		return NULL;
	j->type = type;
	j->line = b->line;
	return j;
}

static int no_room(struct json_build *b)
{
	return stop(b, ENOMEM, "parsing", NULL);
}

/* j is NULL if there was no memory for it. */
static int attach(struct json_build *b, const struct json *j)
{
	struct frame *top;

	if (!j)
		return no_room(b);
	if (b->depth == 0) {
		b->root = j;
		return GO_ON;
	}
	top = &b->frames[b->depth - 1];
	if (b->n_slots == b->cap_slots) {
		size_t cap = b->cap_slots ? b->cap_slots * 2 : 256;
		struct slot *bigger = realloc(b->slots, cap * sizeof(*bigger));

		if (!bigger)
			return no_room(b);
		b->slots = bigger;
		b->cap_slots = cap;
	}
	b->slots[b->n_slots++] = (struct slot){ top->hash, top->key, j };
	top->node->n++;
	return GO_ON;
}

static int on_null(void *ctx)
{
	return attach(ctx, node_new(ctx, JSON_NULL));
}

static int on_bool(void *ctx, int value)
{
	struct json *j = node_new(ctx, JSON_BOOL);

	if (j)
		j->boolean = value != 0;
	return attach(ctx, j);
}

static int on_number(void *ctx, const char *text, size_t len)
{
	struct json_build *b = ctx;
	struct json *j = node_new(b, JSON_NUMBER);

	if (!j || !(j->text = arena_strndup(b->a, text, len)))
		return no_room(b);
	return attach(b, j);
}

static int on_string(void *ctx, const unsigned char *text, size_t len)
{
	struct json_build *b = ctx;
	struct json *j = node_new(b, JSON_STRING);

	if (memchr(text, '\0', len))
		return stop(b, 0, "a string holds a NUL character", NULL);
	if (!j || !(j->text = arena_strndup(b->a, (const char *)text, len)))
		return no_room(b);
	return attach(b, j);
}

static int on_key(void *ctx, const unsigned char *text, size_t len)
{
	struct json_build *b = ctx;
	struct frame *top = &b->frames[b->depth - 1];

	if (memchr(text, '\0', len)) {
		count_lines(b, yajl_get_bytes_consumed(b->parser));
		return stop(b, 0, "a key holds a NUL character", NULL);
	}
	top->key = arena_strndup(b->a, (const char *)text, len);
	if (!top->key)
		return no_room(b);
	top->hash = hash_key(top->key);
	return GO_ON;
}

static int begin_node(struct json_build *b, enum json_type type)
{
	struct json *j = node_new(b, type);

	if (b->depth == JSON_MAX_DEPTH) {
		sl_err_set(b->err, 0, "line %zu: nested deeper than %d levels", b->line,
			JSON_MAX_DEPTH);
		return 0;
	}
	if (!attach(b, j))
		return 0;
	b->frames[b->depth++] = (struct frame){ .node = j, .base = b->n_slots };
	return GO_ON;
}

static int on_open_object(void *ctx)
{
	return begin_node(ctx, JSON_OBJECT);
}

static int on_open_array(void *ctx)
{
	return begin_node(ctx, JSON_ARRAY);
}

static int on_close(void *ctx)
{
	struct json_build *b = ctx;
	struct frame *top = &b->frames[--b->depth];
	const struct slot *slots;
	struct json *j = top->node;
	const char *twice = NULL;
	int r;

	count_lines(b, yajl_get_bytes_consumed(b->parser));
	j->line = b->line;
	b->n_slots = top->base;
	if (j->n == 0)
		return GO_ON;
	slots = b->slots + top->base;
	j->items = arena_array(b->a, j->n, sizeof(void *));
	if (!j->items)
		return no_room(b);
	for (size_t i = 0; i < j->n; i++)
		j->items[i] = slots[i].item;
	if (j->type == JSON_ARRAY)
		return GO_ON;
	j->keys = arena_array(b->a, j->n, sizeof(void *));
	if (!j->keys)
		return no_room(b);
	for (size_t i = 0; i < j->n; i++)
		j->keys[i] = slots[i].key;
	r = find_duplicate(slots, j->n, &twice);
	if (r < 0)
		return no_room(b);
	return r == 0 ? GO_ON : stop(b, 0, "the object that ends here has twice the key", twice);
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_bool,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_open_object,
	.yajl_map_key = on_key,
	.yajl_end_map = on_close,
	.yajl_start_array = on_open_array,
	.yajl_end_array = on_close,
};

/* ------------------------------------------------------------------ the text itself */

static int hex4(const char *s, const char *end, unsigned int *ret)
{
	unsigned int v = 0;

	if (end - s < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		if (!isxdigit((unsigned char)s[i]))
			return -1;
		v = v * 16 + (unsigned int)(s[i] <= '9' ? s[i] - '0' : (s[i] | 0x20) - 'a' + 10);
	}
	*ret = v;
	return 0;
}

/* yajl writes "?" for half a surrogate pair and does not check for the other half. */
static int check_escapes(struct json_build *b)
{
	const char *end = b->buf + b->len;
	const char *p = b->buf;

	while ((p = memchr(p, '\\', (size_t)(end - p)))) {
		unsigned int first, second = 0;

		if (end - p < 2)
			break;
		if (p[1] != 'u' || hex4(p + 2, end, &first) < 0 || (first & 0xf800) != 0xd800) {
			p += 2;
			continue;
		}
		if (first >= 0xdc00 || end - p < 12 || p[6] != '\\' || p[7] != 'u' ||
			hex4(p + 8, end, &second) < 0 || (second & 0xfc00) != 0xdc00) {
			count_lines(b, (size_t)(p - b->buf));
			stop(b, 0, "a \\u escape is half of a surrogate pair", NULL);
			return -1;
		}
		p += 12;
	}
	return 0;
}

static int check_text(struct json_build *b)
{
	size_t good = utf8_valid_prefix(b->buf, b->len);

	if (good < b->len) {
		count_lines(b, good);
		stop(b, 0, "not UTF-8", NULL);
		return -1;
	}
	return check_escapes(b);
}

static void syntax_error(struct json_build *b, size_t offset)
{
	unsigned char *text = yajl_get_error(b->parser, 0, (const unsigned char *)b->buf, b->len);
	char line[256];

	snprintf(line, sizeof(line), "%s", text ? (const char *)text : "syntax error");
	line[strcspn(line, "\n")] = '\0';
	if (text)
		yajl_free_error(b->parser, text);
	count_lines(b, offset);
	stop(b, 0, line, NULL);
}

int json_parse(
	struct arena *a, const char *buf, size_t len, const struct json **ret, struct sl_err *err)
{
	auto_free struct json_build *b = calloc(1, sizeof(*b));
	yajl_status status;
	size_t offset;

	if (!b)
		return sl_err_set(err, ENOMEM, "parse JSON");
	b->a = a;
	b->err = err;
	b->buf = buf;
	b->len = len;
	b->line = 1;
	if (check_text(b) < 0)
		return -1;
	b->parser = yajl_alloc(&callbacks, NULL, b);
	if (!b->parser)
		return sl_err_set(err, ENOMEM, "parse JSON");
	status = yajl_parse(b->parser, (const unsigned char *)buf, len);
	offset = yajl_get_bytes_consumed(b->parser);
	if (status == yajl_status_ok) {
		/* yajl's offset starts again at 0 now. Only a number at the very end can still
		 * follow. */
		offset = len;
		count_lines(b, len);
		status = yajl_complete_parse(b->parser);
	}
	if (status == yajl_status_error)
		syntax_error(b, offset);
	yajl_free(b->parser);
	free(b->slots);
	if (status != yajl_status_ok)
		return -1;
	*ret = b->root;
	return 0;
}

/* ------------------------------------------------------------------ reading */

const struct json *json_get(const struct json *j, const char *key)
{
	if (!j || j->type != JSON_OBJECT)
		return NULL;
	for (size_t i = 0; i < j->n; i++)
		if (strcmp(j->keys[i], key) == 0)
			return j->items[i];
	return NULL;
}

const char *json_type_name(enum json_type type)
{
	switch (type) {
	case JSON_NULL: return "null";
	case JSON_BOOL: return "boolean";
	case JSON_NUMBER: return "number";
	case JSON_STRING: return "string";
	case JSON_ARRAY: return "array";
	case JSON_OBJECT: return "object";
	}
	return "value";
}

static bool all_digits(const char *s)
{
	return *s != '\0' && s[strspn(s, "0123456789")] == '\0';
}

int json_to_i64(const struct json *j, int64_t *ret)
{
	long long v;

	if (!j || j->type != JSON_NUMBER || !all_digits(j->text + (j->text[0] == '-')))
		return -1;
	errno = 0;
	v = strtoll(j->text, NULL, 10);
	if (errno != 0)
		return -1;
	*ret = v;
	return 0;
}

int json_to_u64(const struct json *j, uint64_t *ret)
{
	unsigned long long v;

	if (!j || j->type != JSON_NUMBER || !all_digits(j->text))
		return -1;
	errno = 0;
	v = strtoull(j->text, NULL, 10);
	if (errno != 0)
		return -1;
	*ret = v;
	return 0;
}
