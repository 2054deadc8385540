/* SPDX-License-Identifier: Apache-2.0
 *
 * The home of yajl: a bounded JSON tree to read from, and a writer.
 */
#ifndef SANDLOCK_BASE_JSON_H
#define SANDLOCK_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/arena.h"
#include "runtime/base/err.h"

enum json_type {
	JSON_NULL,
	JSON_BOOL,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json {
	enum json_type type;
	bool boolean;
	const char *text; /* string value (no embedded NUL), or the digits of a number as written */
	size_t n;         /* elements of an array or members of an object */
	const char **keys;         /* of an object, in order of appearance */
	const struct json **items; /* of an array or an object */
	size_t line;               /* 1-based line where the value ends; for messages */
};

#define JSON_MAX_DEPTH 64

/* Parses exactly one document (RFC 8259). Refused with a message: syntax errors, more than
 * JSON_MAX_DEPTH levels, duplicate keys, bad UTF-8, NUL inside a string, trailing text.
 * The tree belongs to the arena, which may be a checked one: ENOMEM. */
int json_parse(
	struct arena *a, const char *buf, size_t len, const struct json **ret, struct sl_err *err);

/* Member of an object, or NULL (also when j is NULL or not an object). */
const struct json *json_get(const struct json *j, const char *key);

const char *json_type_name(enum json_type type); /* "number", "string", … */

/* Exact integers only: "1e3" and "1.5" are no integers here. Return 0 or -1. */
int json_to_i64(const struct json *j, int64_t *ret);
int json_to_u64(const struct json *j, uint64_t *ret);

/* The writer. json_gen_take() ends the document; the text belongs to the arena. Of a checked arena
 * json_gen_new() returns NULL where there is no memory, and so does json_gen_take(): what comes in
 * between need not be looked at. */
struct json_gen;
struct json_gen *json_gen_new(struct arena *a, bool pretty);
void json_gen_object(struct json_gen *g);
void json_gen_array(struct json_gen *g);
void json_gen_end(struct json_gen *g); /* closes the innermost object or array */
void json_gen_key(struct json_gen *g, const char *key);
void json_gen_string(struct json_gen *g, const char *s); /* bad UTF-8 becomes U+FFFD; NULL: null */
void json_gen_i64(struct json_gen *g, int64_t v);
void json_gen_u64(struct json_gen *g, uint64_t v);
void json_gen_bool(struct json_gen *g, bool v);
void json_gen_null(struct json_gen *g);
/* A key and its value. */
void json_gen_member_string(struct json_gen *g, const char *key, const char *s);
void json_gen_member_i64(struct json_gen *g, const char *key, int64_t v);
void json_gen_member_u64(struct json_gen *g, const char *key, uint64_t v);
void json_gen_member_bool(struct json_gen *g, const char *key, bool v);
void json_gen_value(struct json_gen *g, const struct json *j); /* copies a parsed tree */
const char *json_gen_take(struct json_gen *g, size_t *ret_len);

#endif
