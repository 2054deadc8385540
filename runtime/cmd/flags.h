/* SPDX-License-Identifier: Apache-2.0
 *
 * Command lines in Go's style: "-name" and "--name" mean the same, and so do "--name value" and
 * "--name=value". Each command has a table of its flags, which is also its help text.
 */
#ifndef SANDLOCK_CMD_FLAGS_H
#define SANDLOCK_CMD_FLAGS_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/arena.h"
#include "runtime/base/err.h"

enum flag_type {
	FLAG_BOOL,
	FLAG_STRING,
	FLAG_LIST, /* may be given more than once */
};

struct flag {
	const char *name;
	char letter; /* 0: none */
	enum flag_type type;
	const char *help;
};

struct flag_value {
	const struct flag *flag;
	const char *value; /* "true" for a bool */
	struct flag_value *next;
};

struct flags {
	struct flag_value *first;
	char **args; /* the arguments that are not flags */
	int n_args;
};

/* Parses argv[0 … argc). stop_at_first: nothing after the first argument is parsed (the command
 * of exec, the options of ps). "--" ends the flags. */
int flags_parse(struct arena *a, const struct flag *table, bool stop_at_first, int argc,
	char **argv, struct flags *ret, struct sl_err *err);

/* the last value; NULL: not given */
const char *flags_string(const struct flags *f, const char *name);
bool flags_bool(const struct flags *f, const char *name);

/* All values of a list flag in order, NULL-terminated; the list belongs to the arena. */
char **flags_list(struct arena *a, const struct flags *f, const char *name, size_t *ret_n);

/* Returns a whole number between min and max. */
int flags_number(const struct flags *f, const char *name, long min, long max, long fallback,
	long *ret, struct sl_err *err);

/* *ret: how many descriptors from 3 on go to the container: n_before, then those of
 * --preserve-fds. Each of them must be open. */
int flags_preserve(const struct flags *f, long n_before, long *ret, struct sl_err *err);

void flags_print_help(const struct flag *table);

#endif
