/* SPDX-License-Identifier: Apache-2.0
 *
 * The only room that uses yajl: a JSON tree with limits, and a writer.
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
	const char *text;  /* the value of a string (without NUL), or a number as it is written */
	size_t n;          /* elements of an array or members of an object */
	const char **keys; /* of an object, in the order of the document */
	const struct json **items; /* of an array or an object */
	size_t line;               /* the line (from 1) at which the value ends; for messages */
};

#define JSON_MAX_DEPTH 64

/* Parses exactly one document (RFC 8259). Refuses with a message: syntax errors, more than
 * JSON_MAX_DEPTH levels, duplicate keys, invalid UTF-8, NUL in a string, and text after the
 * document. The tree belongs to the arena. If the arena is a checked one, the error can be
 * ENOMEM. */
int json_parse(
	struct arena *a, const char *buf, size_t len, const struct json **ret, struct sl_err *err);

/* Member of an object, or NULL (also when j is NULL or not an object). */
const struct json *json_get(const struct json *j, const char *key);

const char *json_type_name(enum json_type type); /* "number", "string", … */

/* Exact integers only: "1e3" and "1.5" are refused. Return 0 or -1. */
int json_to_i64(const struct json *j, int64_t *ret);
int json_to_u64(const struct json *j, uint64_t *ret);

/* The writer. json_gen_take() ends the document; the text belongs to the arena. With a checked
 * arena json_gen_new() and json_gen_take() return NULL when there is no memory; the functions
 * between need no check. */
struct json_gen;
struct json_gen *json_gen_new(struct arena *a, bool pretty);
void json_gen_object(struct json_gen *g);
void json_gen_array(struct json_gen *g);
void json_gen_end(struct json_gen *g); /* closes the innermost object or array */
void json_gen_key(struct json_gen *g, const char *key);
/* invalid UTF-8 becomes U+FFFD; NULL becomes null */
void json_gen_string(struct json_gen *g, const char *s);
void json_gen_i64(struct json_gen *g, int64_t v);
void json_gen_u64(struct json_gen *g, uint64_t v);
void json_gen_bool(struct json_gen *g, bool v);
void json_gen_null(struct json_gen *g);
/* These write a key and its value. */
void json_gen_member_string(struct json_gen *g, const char *key, const char *s);
void json_gen_member_i64(struct json_gen *g, const char *key, int64_t v);
void json_gen_member_u64(struct json_gen *g, const char *key, uint64_t v);
void json_gen_member_bool(struct json_gen *g, const char *key, bool v);
void json_gen_value(struct json_gen *g, const struct json *j); /* copies a parsed tree */
const char *json_gen_take(struct json_gen *g, size_t *ret_len);

#endif
