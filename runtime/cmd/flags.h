/* SPDX-License-Identifier: Apache-2.0
 *
 * Command lines as the callers write them: Go's flag style, so that "-name" and "--name",
 * "--name value" and "--name=value" mean the same. Each command has a table of its flags,
 * which also makes its help.
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
	char **args; /* what is not a flag */
	int n_args;
};

/* Parses argv[0 … argc). stop_at_first: what follows the first argument is not looked at
 * (exec's command, ps' options). "--" ends the flags. */
int flags_parse(struct arena *a, const struct flag *table, bool stop_at_first, int argc,
	char **argv, struct flags *ret, struct sl_err *err);

const char *flags_string(const struct flags *f, const char *name); /* the last one; or NULL */
bool flags_bool(const struct flags *f, const char *name);

/* All values of a list flag in order, NULL-terminated; the arena's. */
char **flags_list(struct arena *a, const struct flags *f, const char *name, size_t *ret_n);

/* A whole number between min and max. */
int flags_number(const struct flags *f, const char *name, long min, long max, long fallback,
	long *ret, struct sl_err *err);

/* How many descriptors from 3 on are handed on: n_before, and behind them those of
 * --preserve-fds. Each has to be there. */
int flags_preserve(const struct flags *f, long n_before, long *ret, struct sl_err *err);

void flags_print_help(const struct flag *table);

#endif
