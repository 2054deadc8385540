/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/json_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct at at_root(struct reader *rd, const char *name, const struct json *j)
{
	return (struct at){ .rd = rd, .key = name, .j = j };
}

struct at at_member(const struct at *up, const char *key)
{
	const struct json *j = json_get(up->j, key);

	if (j && j->type == JSON_NULL)
		j = NULL;
	return (struct at){ .rd = up->rd, .up = up, .key = key, .j = j };
}

struct at at_nth(const struct at *up, size_t i)
{
	return (struct at){ .rd = up->rd, .up = up, .index = i, .j = up->j->items[i] };
}

struct at at_nth_member(const struct at *up, size_t i)
{
	return (struct at){ .rd = up->rd, .up = up, .key = up->j->keys[i], .j = up->j->items[i] };
}

void read_path(const struct at *at, char *buf, size_t size)
{
	size_t n;

	buf[0] = '\0';
	if (at->up)
		read_path(at->up, buf, size);
	n = strlen(buf);
	if (at->key && at->key[0])
		snprintf(buf + n, size - n, "%s%.200s", n ? "." : "", at->key);
	else if (at->up)
		snprintf(buf + n, size - n, "[%zu]", at->index);
}

int read_fail(const struct at *at, const char *fmt, ...)
{
	const struct at *place = at;
	char path[SL_ERR_MAX / 2];
	char msg[SL_ERR_MAX / 2];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	read_path(at, path, sizeof(path));
	/* The message for a missing member names the line at which its object ends. */
	while (place && !place->j)
		place = place->up;
	if (!place)
		return sl_err_set(at->rd->err, 0, "%s: %s", path, msg);
	return sl_err_set(at->rd->err, 0, "%s%s%s (line %zu)", path, path[0] ? ": " : "", msg,
		place->j->line);
}

int read_is(const struct at *at, enum json_type type)
{
	if (at->j->type == type)
		return 0;
	return read_fail(
		at, "expected %s, got %s", json_type_name(type), json_type_name(at->j->type));
}

int read_missing(const struct at *at)
{
	return read_fail(at, "missing, and it is mandatory");
}

void *read_alloc(const struct at *at, size_t n, size_t size)
{
	void *p = arena_array(at->rd->a, n, size);
	char path[SL_ERR_MAX / 2];

	if (!p) {
		read_path(at, path, sizeof(path));
		sl_err_set(at->rd->err, ENOMEM, "%s", path);
	}
	return p;
}

/* Returns 1 if the value exists and has the type, 0 if it is absent, -1 after an error. */
static int check_type(const struct at *at, enum json_type type, enum read_need need)
{
	if (!at->j)
		return need == READ_REQUIRED ? read_missing(at) : 0;
	return read_is(at, type) < 0 ? -1 : 1;
}

int read_object(const struct at *up, const char *key, enum read_need need, struct at *ret)
{
	*ret = at_member(up, key);
	return check_type(ret, JSON_OBJECT, need) < 0 ? -1 : 0;
}

int read_array(const struct at *up, const char *key, enum read_need need, struct at *ret)
{
	*ret = at_member(up, key);
	return check_type(ret, JSON_ARRAY, need) < 0 ? -1 : 0;
}

int read_str(const struct at *up, const char *key, enum read_need need, const char **ret)
{
	struct at at = at_member(up, key);
	int r = check_type(&at, JSON_STRING, need);

	if (r <= 0 || !at.j)
		return r;
	*ret = at.j->text;
	return 0;
}

int read_path_str(const struct at *up, const char *key, enum read_need need, const char **ret)
{
	struct at at = at_member(up, key);
	int r = check_type(&at, JSON_STRING, need);

	if (r <= 0 || !at.j)
		return r;
	if (at.j->text[0] != '/')
		return read_fail(&at, "\"%.200s\" must be an absolute path", at.j->text);
	*ret = at.j->text;
	return 0;
}

int read_bool(const struct at *up, const char *key, bool *ret)
{
	struct at at = at_member(up, key);
	int r = check_type(&at, JSON_BOOL, READ_OPTIONAL);

	if (r > 0)
		*ret = at.j->boolean;
	return r < 0 ? -1 : 0;
}

int read_i64(const struct at *up, const char *key, enum read_need need, int64_t min, int64_t max,
	int64_t *ret, bool *ret_has)
{
	struct at at = at_member(up, key);
	int r = check_type(&at, JSON_NUMBER, need);
	int64_t v;

	if (r <= 0 || !at.j)
		return r;
	if (json_to_i64(at.j, &v) < 0 || v < min || v > max)
		return read_fail(&at, "expected an integer from %lld to %lld, got %.40s",
			(long long)min, (long long)max, at.j->text);
	*ret = v;
	if (ret_has)
		*ret_has = true;
	return 0;
}

int read_u64_at(const struct at *at, uint64_t max, uint64_t *ret)
{
	uint64_t v;

	if (json_to_u64(at->j, &v) < 0 || v > max)
		return read_fail(at, "expected an integer from 0 to %llu, got %.40s",
			(unsigned long long)max, at->j ? at->j->text : "nothing");
	*ret = v;
	return 0;
}

int read_u64(const struct at *up, const char *key, enum read_need need, uint64_t max, uint64_t *ret,
	bool *ret_has)
{
	struct at at = at_member(up, key);
	int r = check_type(&at, JSON_NUMBER, need);

	if (r <= 0)
		return r;
	if (read_u64_at(&at, max, ret) < 0)
		return -1;
	if (ret_has)
		*ret_has = true;
	return 0;
}

int read_u32_at(const struct at *at, uint32_t *ret)
{
	uint64_t v = 0;

	if (read_is(at, JSON_NUMBER) < 0 || read_u64_at(at, UINT32_MAX, &v) < 0)
		return -1;
	*ret = (uint32_t)v;
	return 0;
}

int read_u32(
	const struct at *up, const char *key, enum read_need need, uint32_t *ret, bool *ret_has)
{
	uint64_t v = *ret;

	if (read_u64(up, key, need, UINT32_MAX, &v, ret_has) < 0)
		return -1;
	*ret = (uint32_t)v;
	return 0;
}

int read_int(const struct at *up, const char *key, int min, int max, int *ret, bool *ret_has)
{
	int64_t v = *ret;

	if (read_i64(up, key, READ_OPTIONAL, min, max, &v, ret_has) < 0)
		return -1;
	*ret = (int)v;
	return 0;
}

int read_items(const struct at *up, const char *key, enum read_need need, size_t size,
	int (*one)(const struct at *at, void *item), void **ret, size_t *ret_n)
{
	struct at list;
	char *items;

	if (read_array(up, key, need, &list) < 0)
		return -1;
	if (!list.j)
		return 0;
	items = arena_array(up->rd->a, list.j->n + 1, size);
	for (size_t i = 0; i < list.j->n; i++) {
		struct at item = at_nth(&list, i);

		if (one(&item, items + i * size) < 0)
			return -1;
	}
	*ret = items;
	*ret_n = list.j->n;
	return 0;
}

int read_strs(const struct at *up, const char *key, char ***ret, size_t *ret_n)
{
	struct at list;
	char **out;

	if (read_array(up, key, READ_OPTIONAL, &list) < 0)
		return -1;
	if (!list.j)
		return 0;
	out = read_alloc(&list, list.j->n + 1, sizeof(*out));
	if (!out)
		return -1;
	for (size_t i = 0; i < list.j->n; i++) {
		struct at item = at_nth(&list, i);

		if (read_is(&item, JSON_STRING) < 0)
			return -1;
		out[i] = (char *)item.j->text;
	}
	*ret = out;
	*ret_n = list.j->n;
	return 0;
}

int read_kvs(const struct at *up, const char *key, struct key_value **ret, size_t *ret_n)
{
	struct key_value *out;
	struct at map;

	if (read_object(up, key, READ_OPTIONAL, &map) < 0)
		return -1;
	if (!map.j)
		return 0;
	out = read_alloc(&map, map.j->n + 1, sizeof(*out));
	if (!out)
		return -1;
	for (size_t i = 0; i < map.j->n; i++) {
		struct at item = at_nth_member(&map, i);

		if (map.j->keys[i][0] == '\0')
			return read_fail(&map, "an empty key is not allowed");
		if (read_is(&item, JSON_STRING) < 0)
			return -1;
		out[i].key = item.key;
		out[i].value = item.j->text;
	}
	*ret = out;
	*ret_n = map.j->n;
	return 0;
}

int read_word(
	const struct at *at, const struct read_word *words, size_t n, const char *what, int *ret)
{
	if (check_type(at, JSON_STRING, READ_REQUIRED) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (strcmp(at->j->text, words[i].word) == 0) {
			*ret = words[i].value;
			return 0;
		}
	return read_fail(at, "%s \"%.200s\"", what, at->j->text);
}
