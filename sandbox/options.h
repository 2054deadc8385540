/* SPDX-License-Identifier: Apache-2.0
 *
 * What is asked of a sandbox, as options.def lists it. The texts are as written: their grammar is
 * checked where they get their meaning (request.h). Strings belong to the arena or to argv.
 */
#ifndef SANDLOCK_SANDBOX_OPTIONS_H
#define SANDLOCK_SANDBOX_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "runtime/base/arena.h"
#include "runtime/base/err.h"

struct sandbox_list {
	const char **items; /* in the order in which they were given */
	size_t n;
};

enum sandbox_option_type {
	SANDBOX_LIST,   /* may be given more than once: struct sandbox_list */
	SANDBOX_TEXT,   /* the last one counts: const char *, NULL when not given */
	SANDBOX_SWITCH, /* bool */
};

struct sandbox_options {
#define MEMBER_LIST                                                     struct sandbox_list
#define MEMBER_TEXT                                                     const char *
#define MEMBER_SWITCH                                                   bool
#define OPTION(type, field, flag, letter, key, annotation, value, help) MEMBER_##type field;
#define LATER(flag, letter, key, why)
#include "sandbox/options.def"
#undef LATER
#undef OPTION
#undef MEMBER_SWITCH
#undef MEMBER_TEXT
#undef MEMBER_LIST
	char **command; /* NULL-terminated; empty: none */
	size_t n_command;
};

struct sandbox_option {
	enum sandbox_option_type type;
	size_t offset; /* of the member */
	const char *flag;
	char letter;
	const char *key;        /* of a profile; NULL: none */
	const char *annotation; /* without io.sandlock.; NULL: none */
	const char *value;      /* NULL for a switch */
	const char *help;
};

const struct sandbox_option *sandbox_option_table(size_t *ret_n);

/* Whether a key of a profile begins with this section, one that is refused included. */
bool sandbox_option_has_section(const char *section);

/* Why a key of a profile is refused that the reference has; NULL for all other keys. */
const char *sandbox_option_why_later(const char *key);

/* Reads the words before "--" or the first word that is no option; the rest is the command. What
 * they say is added to *ret, or counts instead. An unknown option is an error that names the
 * nearest one. */
int sandbox_options_parse(
	struct arena *a, int argc, char **argv, struct sandbox_options *ret, struct sl_err *err);

/* Sets one option. value: of a switch "true" or "false". */
void sandbox_option_set(struct arena *a, const struct sandbox_option *o, const char *value,
	struct sandbox_options *options);

const struct sandbox_list *sandbox_option_list(
	const struct sandbox_option *o, const struct sandbox_options *options);
const char *sandbox_option_text(
	const struct sandbox_option *o, const struct sandbox_options *options);
bool sandbox_option_is_on(const struct sandbox_option *o, const struct sandbox_options *options);

void sandbox_options_print_help(FILE *out);

#endif
