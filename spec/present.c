/* SPDX-License-Identifier: Apache-2.0
 *
 * Walks through a document along the support table and notes every field that is present. Only
 * fields in the table are entered, so the table and the objects of the document limit the work, and
 * the length of strings does not.
 */
#include <string.h>

#include "spec/load.h"
#include "spec/support.h"

#define VALUE_MAX 96 /* how many bytes of a value are shown */

struct value_text {
	char buf[VALUE_MAX + 1];
	size_t len;
	bool full;
};

struct present_walk {
	struct arena *a;
	struct spec_present *list;
	size_t n;
	size_t cap;
};

static void put_text(struct value_text *t, const char *s)
{
	for (; *s && !t->full; s++) {
		if (t->len == VALUE_MAX) {
			t->full = true;
			break;
		}
		/* The text is for people and for one line of a log, so it has no control
		 * characters. */
		t->buf[t->len++] = (unsigned char)*s < ' ' || *s == 0x7f ? '?' : *s;
	}
}

static void put_value(struct value_text *t, const struct json *j)
{
	switch (j->type) {
	case JSON_NULL: put_text(t, "null"); return;
	case JSON_BOOL: put_text(t, j->boolean ? "true" : "false"); return;
	case JSON_NUMBER: put_text(t, j->text); return;
	case JSON_STRING:
		put_text(t, "\"");
		put_text(t, j->text);
		put_text(t, "\"");
		return;
	case JSON_ARRAY:
	case JSON_OBJECT: break;
	}
	put_text(t, j->type == JSON_ARRAY ? "[" : "{");
	for (size_t i = 0; i < j->n && !t->full; i++) {
		put_text(t, i ? "," : "");
		if (j->type == JSON_OBJECT) {
			put_text(t, j->keys[i]);
			put_text(t, ":");
		}
		put_value(t, j->items[i]);
	}
	put_text(t, j->type == JSON_ARRAY ? "]" : "}");
}

static char *render_value(struct arena *a, const struct json *j)
{
	struct value_text t = { .len = 0 };

	put_value(&t, j);
	/* The text is cut between two characters. */
	while (t.full && t.len > 0 && ((unsigned char)t.buf[t.len - 1] & 0xc0) == 0x80)
		t.len--;
	if (t.full && t.len > 0 && ((unsigned char)t.buf[t.len - 1] & 0x80))
		t.len--;
	t.buf[t.len] = '\0';
	if (!t.full)
		return arena_strndup(a, t.buf, t.len);
	if (j->type == JSON_ARRAY || j->type == JSON_OBJECT)
		return arena_printf(a, "%s... (%zu in all)", t.buf, j->n);
	return arena_printf(a, "%s...", t.buf);
}

static void note(struct present_walk *w, const struct at *at, const struct support_row *row)
{
	struct spec_present *p;
	char path[512];

	if (w->n == w->cap) {
		size_t cap = w->cap ? w->cap * 2 : 128;
		struct spec_present *bigger = arena_array(w->a, cap, sizeof(*bigger));

		if (w->n > 0)
			memcpy(bigger, w->list, w->n * sizeof(*bigger));
		w->list = bigger;
		w->cap = cap;
	}
	read_path(at, path, sizeof(path));
	p = &w->list[w->n++];
	p->full_path = arena_strdup(w->a, path);
	p->field = row ? row->field : p->full_path;
	p->value = render_value(w->a, at->j);
	p->row = row;
	p->json = at->j;
}

static int walk_members(struct present_walk *w, const struct at *at, const struct support_row *row);

/* An element is shown as a whole; only an unknown member of it gets its own line. */
static int walk_items(struct present_walk *w, const struct at *list, const struct support_row *row)
{
	for (size_t i = 0; i < list->j->n; i++) {
		struct at item = at_nth(list, i);

		note(w, &item, row);
		for (size_t k = 0; item.j->type == JSON_OBJECT && k < item.j->n; k++) {
			struct at member = at_nth_member(&item, k);
			const struct support_row *known = support_find(row, member.key);

			if (member.j->type == JSON_NULL)
				continue;
			if (!known)
				note(w, &member, NULL);
			else if (read_is(&member, known->type) < 0)
				return -1;
		}
	}
	return 0;
}

static int walk_field(struct present_walk *w, const struct at *at, const struct support_row *row)
{
	if (!row) {
		note(w, at, NULL);
		return 0;
	}
	if (read_is(at, row->type) < 0)
		return -1;
	switch (row->shape) {
	case SUPPORT_VALUE: note(w, at, row); return 0;
	case SUPPORT_MEMBERS: return walk_members(w, at, row);
	case SUPPORT_ITEMS: return walk_items(w, at, row);
	case SUPPORT_MAP:
		for (size_t i = 0; i < at->j->n; i++) {
			struct at member = at_nth_member(at, i);

			note(w, &member, row);
		}
		return 0;
	}
	return 0;
}

static int walk_members(struct present_walk *w, const struct at *at, const struct support_row *row)
{
	for (size_t i = 0; i < at->j->n; i++) {
		struct at member = at_nth_member(at, i);

		if (member.j->type == JSON_NULL)
			continue;
		if (walk_field(w, &member, support_find(row, member.key)) < 0)
			return -1;
	}
	return 0;
}

int load_present(const struct at *root, struct spec *s)
{
	struct present_walk w = { .a = root->rd->a };

	if (walk_members(&w, root, NULL) < 0)
		return -1;
	s->present = w.list;
	s->n_present = w.n;
	return 0;
}
