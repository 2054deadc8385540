/* SPDX-License-Identifier: Apache-2.0
 *
 * Typed access to a parsed document. A place (struct at) is a value together with the way
 * to it, so that every message can name the path: "process.user.uid: expected number, got
 * string (line 12)". A JSON null counts as absent, because Go writes it for empty fields.
 *
 * All functions return 0, or -1 with the error of the reader set; an absent optional field
 * leaves *ret as it was.
 */
#ifndef SANDLOCK_BASE_JSON_READ_H
#define SANDLOCK_BASE_JSON_READ_H

#include "runtime/base/count.h"
#include "runtime/base/json.h"
#include "runtime/base/key_value.h"

struct reader {
	struct arena *a; /* the document's: strings that are read are those of the tree */
	struct sl_err *err;
};

struct at {
	struct reader *rd;
	const struct at *up; /* must outlive this one; NULL at the root */
	const char *key;     /* member of an object; NULL: element of an array, or the root */
	size_t index;
	const struct json *j; /* NULL: absent */
};

enum read_need {
	READ_OPTIONAL,
	READ_REQUIRED,
};

struct at at_root(struct reader *rd, const char *name, const struct json *j);
struct at at_member(const struct at *up, const char *key);
struct at at_nth(const struct at *up, size_t i);        /* element of an array */
struct at at_nth_member(const struct at *up, size_t i); /* member of an object by position */

/* Fails at this place: "<path>: <message> (line N)". Returns -1. */
int read_fail(const struct at *at, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), cold));

/* The same for what must be there and is not. */
int read_missing(const struct at *at);

/* Of the arena, for what is read there; NULL, with the error, where that is a checked one. */
void *read_alloc(const struct at *at, size_t n, size_t size);

/* "process.user.uid", in a buffer of the caller; cut short when it does not fit. */
void read_path(const struct at *at, char *buf, size_t size);

/* Is it there? An object or array that is not there is no error unless it is required. */
int read_object(const struct at *up, const char *key, enum read_need need, struct at *ret);
int read_array(const struct at *up, const char *key, enum read_need need, struct at *ret);
int read_is(const struct at *at, enum json_type type);

int read_str(const struct at *up, const char *key, enum read_need need, const char **ret);
int read_path_str(const struct at *up, const char *key, enum read_need need, const char **ret);
int read_bool(const struct at *up, const char *key, bool *ret);

/* Integers within [min, max]; ret_has may be NULL. */
int read_i64(const struct at *up, const char *key, enum read_need need, int64_t min, int64_t max,
	int64_t *ret, bool *ret_has);
int read_u64(const struct at *up, const char *key, enum read_need need, uint64_t max, uint64_t *ret,
	bool *ret_has);
int read_u32(
	const struct at *up, const char *key, enum read_need need, uint32_t *ret, bool *ret_has);
/* Of an element that is there. */
int read_u64_at(const struct at *at, uint64_t max, uint64_t *ret);
int read_u32_at(const struct at *at, uint32_t *ret);
int read_int(const struct at *up, const char *key, int min, int max, int *ret, bool *ret_has);

/* Items of one size, each read by one(), which is given a zeroed one. An empty list is not NULL. */
int read_items(const struct at *up, const char *key, enum read_need need, size_t size,
	int (*one)(const struct at *at, void *item), void **ret, size_t *ret_n);

/* Lists of strings are NULL-terminated; an empty list is not NULL. */
int read_strs(const struct at *up, const char *key, char ***ret, size_t *ret_n);
int read_kvs(const struct at *up, const char *key, struct key_value **ret, size_t *ret_n);

/* A word out of a table. */
struct read_word {
	const char *word;
	int value;
};

/* The value of the string at this place, which must be there; what names the kind: "unknown
 * namespace type". */
int read_word(
	const struct at *at, const struct read_word *words, size_t n, const char *what, int *ret);

#endif
