/* SPDX-License-Identifier: Apache-2.0
 *
 * Typed access to a parsed document. A struct at is a value together with its path, so every
 * message can name the path: "process.user.uid: expected number, got string (line 12)". A JSON null
 * counts as absent, because Go writes it for empty fields.
 *
 * All functions return 0, or -1 after setting the error of the reader. An absent optional field
 * does not change *ret.
 */
#ifndef SANDLOCK_BASE_JSON_READ_H
#define SANDLOCK_BASE_JSON_READ_H

#include "runtime/base/count.h"
#include "runtime/base/json.h"
#include "runtime/base/key_value.h"

struct reader {
	struct arena *a; /* the document's arena: the strings are those of the tree */
	struct sl_err *err;
};

struct at {
	struct reader *rd;
	const struct at *up; /* must outlive this one; NULL at the root */
	const char *key;     /* member of an object; NULL: element of an array, or the root */
	size_t index;
	const struct json *j; /* NULL: the value is absent */
};

enum read_need {
	READ_OPTIONAL,
	READ_REQUIRED,
};

struct at at_root(struct reader *rd, const char *name, const struct json *j);
struct at at_member(const struct at *up, const char *key);
struct at at_nth(const struct at *up, size_t i);        /* element of an array */
struct at at_nth_member(const struct at *up, size_t i); /* member of an object by position */

/* Reports an error at this path: "<path>: <message> (line N)". Returns -1. */
int read_fail(const struct at *at, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), cold));

/* The same for a required value that is absent. */
int read_missing(const struct at *at);

/* Allocates in the reader's arena. NULL, with the error set, if there is no memory in a checked
 * arena. */
void *read_alloc(const struct at *at, size_t n, size_t size);

/* Prints the path ("process.user.uid") into the buffer; it is cut if it does not fit. */
void read_path(const struct at *at, char *buf, size_t size);

/* Read an object or array. An absent one is an error only if it is required. */
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
/* These read an element that exists. */
int read_u64_at(const struct at *at, uint64_t max, uint64_t *ret);
int read_u32_at(const struct at *at, uint32_t *ret);
int read_int(const struct at *up, const char *key, int min, int max, int *ret, bool *ret_has);

/* Reads a list of items of one size. one() reads each of them into a zeroed item. An empty list is
 * not NULL. */
int read_items(const struct at *up, const char *key, enum read_need need, size_t size,
	int (*one)(const struct at *at, void *item), void **ret, size_t *ret_n);

/* Lists of strings are NULL-terminated; an empty list is not NULL. */
int read_strs(const struct at *up, const char *key, char ***ret, size_t *ret_n);
int read_kvs(const struct at *up, const char *key, struct key_value **ret, size_t *ret_n);

/* A table of words and their values. */
struct read_word {
	const char *word;
	int value;
};

/* Reads the string at this path, which must exist, and looks it up in the table. what: names the
 * kind in the error message: "unknown namespace type". */
int read_word(
	const struct at *at, const struct read_word *words, size_t n, const char *what, int *ret);

#endif
