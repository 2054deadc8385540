/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of every field of the OCI runtime specification 1.3 (config.md,
 * config-linux.md): what this runtime does with it, on which rung it is enforced, and why.
 * Nothing that a document says may be dropped without a row here: the table feeds
 * validation at `create`, `policy explain`, and the page of docs/ that is printed from it.
 *
 * A field that the table does not know is ignored, because the specification demands it,
 * and shows as such in `policy explain`.
 */
#ifndef SANDLOCK_SPEC_SUPPORT_H
#define SANDLOCK_SPEC_SUPPORT_H

#include <stdio.h>

#include "runtime/base/json.h"
#include "spec/spec.h"

enum support_how {
	SUPPORT_HONOURED,
	SUPPORT_APPROXIMATED, /* something else that serves the purpose; the reason says what */
	SUPPORT_IGNORED,
	SUPPORT_REFUSED, /* `create` fails */
};

enum support_rung {
	SUPPORT_NONE,
	SUPPORT_TREE,        /* the detached mount tree */
	SUPPORT_CREDENTIALS, /* ids, capabilities, limits and other attributes of the process */
	SUPPORT_LANDLOCK,
	SUPPORT_SECCOMP,    /* BPF on register arguments */
	SUPPORT_NOTIFY,     /* decided by the supervisor, a call at a time */
	SUPPORT_SUPERVISOR, /* done by the runtime's own processes */
};

struct support_verdict {
	enum support_how how;
	enum support_rung rung;
	const char *reason;
	const char *remedy; /* of a refusal: what would be accepted; NULL otherwise */
};

/* How the walk over a document sees a field. */
enum support_shape {
	SUPPORT_VALUE,   /* one line */
	SUPPORT_MEMBERS, /* an object whose members have rows of their own */
	SUPPORT_ITEMS,   /* an array: one line an element */
	SUPPORT_MAP,     /* an object with free keys: one line a member */
};

typedef void support_judge(
	const struct spec *s, const struct spec_present *p, struct support_verdict *v);

struct support_row {
	const char *field; /* "linux.resources.memory.limit" */
	enum json_type type;
	enum support_shape shape;
	struct support_verdict verdict;
	support_judge *judge; /* when it depends on the value; NULL: always the verdict above */
};

/* The rows, parents before their members. */
const struct support_row *support_table(size_t *ret_n);

/* The row of the member of a parent (NULL: of the document), or NULL. */
const struct support_row *support_find(const struct support_row *parent, const char *key);

/* What becomes of one present field, also of an unknown one. */
struct support_verdict support_of(const struct spec *s, const struct spec_present *p);

/* Refuses a document with a field that is refused: the message names the field, its value,
 * the reason and what would be accepted. Looks at the host where the answer depends on it
 * (AppArmor, SELinux, the type of a namespace path). */
int support_check(const struct spec *s, struct sl_err *err);

const char *support_how_name(enum support_how how);
const char *support_rung_name(enum support_rung rung);

/* The table as a page of the documentation. */
void support_print_markdown(FILE *out);

/* One line that names the limits of linux.resources that are asked for and not applied; NULL:
 * none is. A value that stands for no limit, and the default weight, are not asked for. */
const char *support_ignored_limits(struct arena *a, const struct spec *s);

#endif
