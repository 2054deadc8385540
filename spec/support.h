/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of every field of the OCI runtime specification 1.3 (config.md, config-linux.md): what
 * this runtime does with it, what enforces it, and why. Every field of a document needs a row here.
 * The table is used for the validation at `create`, for `policy explain`, and for the page in docs/
 * that is generated from it.
 *
 * A field that the table does not contain is ignored, as the specification requires, and `policy
 * explain` shows it.
 */
#ifndef SANDLOCK_SPEC_SUPPORT_H
#define SANDLOCK_SPEC_SUPPORT_H

#include <stdio.h>

#include "runtime/base/json.h"
#include "spec/spec.h"

enum support_how {
	SUPPORT_HONOURED,
	SUPPORT_APPROXIMATED, /* something else serves the purpose; the reason says what */
	SUPPORT_IGNORED,
	SUPPORT_REFUSED, /* `create` fails */
};

enum support_rung {
	SUPPORT_NONE,
	SUPPORT_TREE,        /* the detached mount tree */
	SUPPORT_CREDENTIALS, /* ids, capabilities, limits and other attributes of the process */
	SUPPORT_LANDLOCK,
	SUPPORT_SECCOMP,    /* BPF on register arguments */
	SUPPORT_NOTIFY,     /* the supervisor decides about each call */
	SUPPORT_SUPERVISOR, /* processes of the runtime do it */
};

struct support_verdict {
	enum support_how how;
	enum support_rung rung;
	const char *reason;
	const char *remedy; /* for a refused field: what would be accepted; otherwise NULL */
};

/* How a document is walked at this field. */
enum support_shape {
	SUPPORT_VALUE,   /* a value: one line */
	SUPPORT_MEMBERS, /* an object whose members have rows of their own */
	SUPPORT_ITEMS,   /* an array: one line for each element */
	SUPPORT_MAP,     /* an object with free keys: one line for each member */
};

typedef void support_judge(
	const struct spec *s, const struct spec_present *p, struct support_verdict *v);

struct support_row {
	const char *field; /* "linux.resources.memory.limit" */
	enum json_type type;
	enum support_shape shape;
	struct support_verdict verdict;
	/* decides by the value of the field; NULL: the verdict above always applies */
	support_judge *judge;
};

/* Returns the rows; parents come before their members. */
const struct support_row *support_table(size_t *ret_n);

/* Returns the row of a member of parent (NULL: of the document), or NULL. */
const struct support_row *support_find(const struct support_row *parent, const char *key);

/* Returns what the runtime does with a present field, also with an unknown one. */
struct support_verdict support_of(const struct spec *s, const struct spec_present *p);

/* Fails if a field of the document is refused: the message names the field, its value, the reason
 * and what would be accepted. It looks at the host if the answer depends on it (AppArmor, SELinux,
 * the type of a namespace path). */
int support_check(const struct spec *s, struct sl_err *err);

const char *support_how_name(enum support_how how);
const char *support_rung_name(enum support_rung rung);

/* Prints the table as a page of the documentation. */
void support_print_markdown(FILE *out);

/* Returns one line that names the limits of linux.resources that are requested but not applied;
 * NULL: there are none. A value that means "no limit" and the default weight do not count as
 * requested. */
const char *support_ignored_limits(struct arena *a, const struct spec *s);

#endif
