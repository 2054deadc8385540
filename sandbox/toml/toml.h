/* SPDX-License-Identifier: Apache-2.0
 *
 * TOML 1.0 as a tree in which every value knows its place, for profiles. Departures: a document has
 * at most TOML_MAX_SIZE bytes and TOML_MAX_VALUES values, values are nested at most TOML_MAX_DEPTH
 * deep, and a string does not contain U+0000. Why this is no library:
 * docs/decisions/0013-an-own-toml-reader.md.
 */
#ifndef SANDLOCK_SANDBOX_TOML_TOML_H
#define SANDLOCK_SANDBOX_TOML_TOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/arena.h"
#include "runtime/base/err.h"

enum toml_type {
	TOML_STRING,
	TOML_INTEGER,
	TOML_FLOAT,
	TOML_BOOLEAN,
	TOML_TIME, /* a date, a time, or both */
	TOML_ARRAY,
	TOML_TABLE,
};

/* How a table or an array came to be, which decides who may add to it. */
enum toml_origin {
	TOML_VALUE,    /* a value: complete */
	TOML_IMPLICIT, /* the table b of [a.b.c] */
	TOML_DOTTED,   /* the table b of b.c = 1 */
	TOML_HEADER,   /* the table of [a], the array of [[a]] */
};

struct toml {
	enum toml_type type;
	enum toml_origin origin;
	bool boolean;
	int64_t integer;
	const char *text;    /* the value of a string (without NUL); a float or a time as written */
	const char *key;     /* of a member of a table; else NULL */
	size_t line, column; /* of the key, else of the value; from 1, in characters */
	struct toml *first, **last; /* elements of an array, members of a table */
	struct toml *next;
};

#define TOML_MAX_SIZE   (256 << 10)
#define TOML_MAX_VALUES 10000
#define TOML_MAX_DEPTH  64

/* Parses a document; *ret is its root table. The tree belongs to the arena, and the buffer is not
 * needed any more. The message of an error begins with "line L, column C: ". */
int toml_parse(
	struct arena *a, const char *buf, size_t len, const struct toml **ret, struct sl_err *err);

/* Member of a table, or NULL. */
struct toml *toml_get(const struct toml *table, const char *key);

const char *toml_type_name(enum toml_type type); /* "string", "integer", … */

#endif
