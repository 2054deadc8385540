/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/support.h"

#include <string.h>

#include "spec/load.h"
#include "spec/support_judge.h"

static const char no_limits[] = "needs a cgroup, and there is none";

#define ROW(field_, type_, shape_, how_, rung_, judge_, reason_)                                   \
	{ .field = (field_),                                                                       \
		.type = JSON_##type_,                                                              \
		.shape = SUPPORT_##shape_,                                                         \
		.verdict = { SUPPORT_##how_, SUPPORT_##rung_, (reason_), NULL },                   \
		.judge = (judge_) },
#define REFUSED(field_, type_, shape_, judge_, reason_, remedy_)                                   \
	{ .field = (field_),                                                                       \
		.type = JSON_##type_,                                                              \
		.shape = SUPPORT_##shape_,                                                         \
		.verdict = { SUPPORT_REFUSED, SUPPORT_NONE, (reason_), (remedy_) },                \
		.judge = (judge_) },
#define LIMIT(field_, type_) ROW(field_, type_, VALUE, IGNORED, NONE, NULL, no_limits)
#define HOOK(list_)                                                                                \
	ROW(list_ ".path", STRING, VALUE, HONOURED, SUPERVISOR, NULL, "")                          \
	ROW(list_ ".args", ARRAY, VALUE, HONOURED, SUPERVISOR, NULL, "")                           \
	ROW(list_ ".env", ARRAY, VALUE, HONOURED, SUPERVISOR, NULL, "")                            \
	ROW(list_ ".timeout", NUMBER, VALUE, HONOURED, SUPERVISOR, NULL, "")

static const struct support_row support_rows[] = {
#include "spec/support.def"
};

const struct support_row *support_table(size_t *ret_n)
{
	*ret_n = COUNT(support_rows);
	return support_rows;
}

const struct support_row *support_find(const struct support_row *parent, const char *key)
{
	size_t prefix = parent ? strlen(parent->field) : 0;
	size_t from = parent ? (size_t)(parent - support_rows) + 1 : 0;

	for (size_t i = from; i < COUNT(support_rows); i++) {
		const char *field = support_rows[i].field;

		if (parent) {
			if (strncmp(field, parent->field, prefix) != 0 || field[prefix] != '.')
				break;
			field += prefix + 1;
		}
		if (strcmp(field, key) == 0)
			return &support_rows[i];
	}
	return NULL;
}

struct support_verdict support_of(const struct spec *s, const struct spec_present *p)
{
	struct support_verdict v = {
		.how = SUPPORT_IGNORED,
		.rung = SUPPORT_NONE,
		.reason = "unknown to this runtime; the specification demands that it is ignored",
	};

	if (!p->row)
		return v;
	v = p->row->verdict;
	if (p->row->judge)
		p->row->judge(s, p, &v);
	return v;
}

int support_check(const struct spec *s, struct sl_err *err)
{
	for (size_t i = 0; i < s->n_present; i++) {
		const struct spec_present *p = &s->present[i];
		struct support_verdict v = support_of(s, p);

		if (v.how != SUPPORT_REFUSED)
			continue;
		return sl_err_set(err, 0, "%s: %s is refused: %s%s%s", p->full_path, p->value,
			v.reason, v.remedy ? "; accepted: " : "", v.remedy ? v.remedy : "");
	}
	return 0;
}

const char *support_how_name(enum support_how how)
{
	switch (how) {
	case SUPPORT_HONOURED: return "honoured";
	case SUPPORT_APPROXIMATED: return "approximated";
	case SUPPORT_IGNORED: return "ignored";
	case SUPPORT_REFUSED: return "refused";
	}
	return "?";
}

const char *support_rung_name(enum support_rung rung)
{
	switch (rung) {
	case SUPPORT_NONE: return "none";
	case SUPPORT_TREE: return "tree";
	case SUPPORT_CREDENTIALS: return "credentials";
	case SUPPORT_LANDLOCK: return "landlock";
	case SUPPORT_SECCOMP: return "seccomp";
	case SUPPORT_NOTIFY: return "notify";
	case SUPPORT_SUPERVISOR: return "supervisor";
	}
	return "?";
}

void support_print_markdown(FILE *out)
{
	fputs("| field | what becomes of it | where | why |\n|---|---|---|---|\n", out);
	for (size_t i = 0; i < COUNT(support_rows); i++) {
		const struct support_row *r = &support_rows[i];

		/* The reasons of a section are those of its members, so it has no line. */
		if (r->shape == SUPPORT_MEMBERS)
			continue;
		fprintf(out, "| `%s` | %s%s | %s | %s%s%s |\n", r->field,
			support_how_name(r->verdict.how), r->judge ? " (by value)" : "",
			support_rung_name(r->verdict.rung), r->verdict.reason,
			r->verdict.remedy ? "; accepted: " : "",
			r->verdict.remedy ? r->verdict.remedy : "");
	}
}

static bool is_no_limit(const struct spec_present *p)
{
	const struct json *j = p->json;

	switch (j->type) {
	case JSON_NULL: return true;
	case JSON_BOOL: return !j->boolean;
	case JSON_NUMBER:
		/* A period without a quota limits nothing, and 1024 is the default of shares. */
		return strcmp(j->text, "0") == 0 || j->text[0] == '-' ||
		       strcmp(p->field, "linux.resources.cpu.period") == 0 ||
		       (strcmp(p->field, "linux.resources.cpu.shares") == 0 &&
			       strcmp(j->text, "1024") == 0);
	case JSON_STRING: return j->text[0] == '\0';
	case JSON_ARRAY:
	case JSON_OBJECT: break;
	}
	return j->n == 0;
}

const char *support_ignored_limits(struct arena *a, const struct spec *s)
{
	static const size_t prefix = sizeof("linux.resources.") - 1;
	const char *list = NULL;

	/* The table has about thirty of these fields, and a document contains each at most once. */
	for (size_t i = 0; i < s->n_present; i++) {
		const struct spec_present *p = &s->present[i];

		if (!p->row || p->row->verdict.reason != no_limits || is_no_limit(p))
			continue;
		list = list ? arena_printf(a, "%s, %s", list, p->field + prefix)
			    : p->field + prefix;
	}
	return list ? arena_printf(a, "linux.resources: not applied: %s (%s)", list, no_limits)
		    : NULL;
}
