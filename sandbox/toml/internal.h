/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this room share, from the lowest to the highest.
 */
#ifndef SANDLOCK_SANDBOX_TOML_INTERNAL_H
#define SANDLOCK_SANDBOX_TOML_INTERNAL_H

#include "sandbox/toml/toml.h"

/* text.c: where the reader is. The document is read in a copy. A string is written over its own
 * source, which is never shorter. */
struct toml_reader {
	struct arena *a;
	struct sl_err *err;
	const char *source;      /* the document as it was given, for columns */
	char *copy, *p, *end;    /* p: the next character */
	size_t line_start, line; /* the offset of the line's first byte; its number */
	int depth, n_values;
};

int toml_fail(const struct toml_reader *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), cold));
/* Says what stands at p instead of what was expected. */
int toml_unexpected(const struct toml_reader *r, const char *expected);
size_t toml_column(const struct toml_reader *r);
int toml_peek(const struct toml_reader *r); /* the next byte, or EOF */
bool toml_take(struct toml_reader *r, const char *word);
bool toml_is_control(int c); /* one that no string and no comment may contain */
bool toml_newline(struct toml_reader *r);
void toml_blanks(struct toml_reader *r);
/* Skip a comment, if there is one; and all blanks, comments and newlines. */
void toml_comment(struct toml_reader *r);
void toml_space(struct toml_reader *r);

/* string.c: any of the four kinds. *ret points into the copy. */
bool toml_at_string(const struct toml_reader *r);
int toml_string(struct toml_reader *r, bool may_have_lines, const char **ret);

/* scalar.c: numbers, booleans and times. */
int toml_scalar(struct toml_reader *r, struct toml *v);
/* time.c: whether the text is a date, a time or both. */
bool toml_is_time(const char *s);

/* key.c: a.b."c d" */
struct toml_key {
	const char *text;
	size_t line, column;
	struct toml_key *next;
};
int toml_keys(struct toml_reader *r, struct toml_key **ret);

/* tree.c: adding to the tree, by the rules of who may add to what. */
struct toml *toml_new(struct toml_reader *r, enum toml_type type, enum toml_origin origin);
void toml_append(struct toml *to, struct toml *item);
int toml_assign(
	struct toml_reader *r, struct toml *table, const struct toml_key *keys, struct toml *value);
int toml_header(struct toml_reader *r, struct toml *root, const struct toml_key *keys,
	bool is_array, struct toml **ret);

/* value.c */
int toml_value(struct toml_reader *r, struct toml **ret);
int toml_pair(struct toml_reader *r, struct toml *table); /* key = value */

#endif
