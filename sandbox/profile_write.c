/* SPDX-License-Identifier: Apache-2.0
 *
 * Options as a profile: what sandbox_profile_read() takes for the same options.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/utf8.h"
#include "runtime/plan/path.h"
#include "sandbox/profile.h"

struct profile_writing {
	struct arena *a;
	const struct sandbox_options *o;
	const char *cwd; /* of who has given the options */
	FILE *out;
	bool representable;
};

static void write_string(struct profile_writing *p, const char *s)
{
	const size_t n = strlen(s);

	p->representable &= utf8_valid_prefix(s, n) == n;
	fputc('"', p->out);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fprintf(p->out, "\\%c", *s);
		else if ((*s > 0 && *s < ' ') || *s == 0x7f)
			fprintf(p->out, "\\u%04X", (unsigned int)*s);
		else
			fputc(*s, p->out);
	}
	fputc('"', p->out);
}

/* With --chroot paths are not those of the caller. */
static const char *from_anywhere(
	const struct profile_writing *p, const struct sandbox_option *o, const char *text)
{
	const bool is_path =
		o->value && (strcmp(o->value, "PATH") == 0 || strcmp(o->value, "FILE") == 0 ||
				    strcmp(o->value, "DIR") == 0);

	if (!is_path || p->o->chroot || text[0] == '/')
		return text;
	return plan_path_clean(p->a, arena_printf(p->a, "%s/%s", p->cwd, text));
}

static bool is_set(const struct profile_writing *p, const struct sandbox_option *o)
{
	switch (o->type) {
	case SANDBOX_LIST: return sandbox_option_list(o, p->o)->n > 0;
	case SANDBOX_TEXT: return sandbox_option_text(o, p->o) != NULL;
	case SANDBOX_SWITCH: break;
	}
	return sandbox_option_is_on(o, p->o);
}

static void write_list(struct profile_writing *p, const struct sandbox_option *o)
{
	const struct sandbox_list *list = sandbox_option_list(o, p->o);

	fputc('[', p->out);
	for (size_t i = 0; i < list->n; i++) {
		fputs(i ? ", " : "", p->out);
		write_string(p, from_anywhere(p, o, list->items[i]));
	}
	fputc(']', p->out);
}

static void write_value(struct profile_writing *p, const struct sandbox_option *o)
{
	fprintf(p->out, "%s = ", strchr(o->key, '.') + 1);
	switch (o->type) {
	case SANDBOX_LIST: write_list(p, o); break;
	case SANDBOX_TEXT:
		write_string(p, from_anywhere(p, o, sandbox_option_text(o, p->o)));
		break;
	case SANDBOX_SWITCH: fputs("true", p->out); break;
	}
	fputc('\n', p->out);
}

static bool is_set_later(const struct sandbox_list *list, size_t at)
{
	const size_t n = strcspn(list->items[at], "=") + 1;

	for (size_t i = at + 1; i < list->n; i++)
		if (strncmp(list->items[i], list->items[at], n) == 0)
			return true;
	return false;
}

static void write_env(struct profile_writing *p)
{
	const struct sandbox_list *list = &p->o->env;
	const char *separator = "";

	if (list->n == 0)
		return;
	fputs("env = {", p->out);
	for (size_t i = 0; i < list->n; i++) {
		const char *item = list->items[i], *equals = strchr(item, '=');

		if (is_set_later(list, i))
			continue;
		fputs(separator, p->out);
		fputc(' ', p->out);
		write_string(p, arena_strndup(p->a, item, strcspn(item, "=")));
		fputs(" = ", p->out);
		write_string(p, equals ? equals + 1 : "");
		separator = ",";
	}
	fputs(" }\n", p->out);
}

static void write_command(struct profile_writing *p)
{
	char *shell[] = { arena_strdup(p->a, "/bin/sh"), arena_strdup(p->a, "-c"),
		p->o->shell ? arena_strdup(p->a, p->o->shell) : NULL, NULL };
	char *const *words = p->o->shell ? shell : p->o->command;

	if (!words || !words[0])
		return;
	fputs("exec = ", p->out);
	write_string(p, words[0]);
	fputs("\nargs = [", p->out);
	for (size_t i = 1; words[i]; i++) {
		fputs(i > 1 ? ", " : "", p->out);
		write_string(p, words[i]);
	}
	fputs("]\n", p->out);
}

static bool in_same_section(const struct sandbox_option *o, const char *section)
{
	const size_t n = strcspn(section, ".");

	return o->key && strncmp(o->key, section, n) == 0 && o->key[n] == '.';
}

/* The options of a section; program.env is written by itself. */
static void write_entries(struct profile_writing *p, const char *section)
{
	size_t n;
	const struct sandbox_option *table = sandbox_option_table(&n);

	for (size_t i = 0; i < n; i++)
		if (in_same_section(&table[i], section) && is_set(p, &table[i]) &&
			strcmp(table[i].key, "program.env") != 0)
			write_value(p, &table[i]);
}

/* program.cwd is there also where it is the caller's, since a profile is used from anywhere. */
static void write_program(struct profile_writing *p)
{
	const char *user = p->o->user, *colon = user ? strchr(user, ':') : NULL;

	fputs("[program]\n", p->out);
	write_command(p);
	write_env(p);
	write_entries(p, "program");
	if (!p->o->cwd && !p->o->chroot) {
		fputs("cwd = ", p->out);
		write_string(p, p->cwd);
		fputc('\n', p->out);
	}
	if (colon)
		fprintf(p->out, "uid = %.*s\ngid = %s\n", (int)(colon - user), user, colon + 1);
}

static bool is_first_of_section(const struct profile_writing *p, const struct sandbox_option *first)
{
	size_t n;

	for (const struct sandbox_option *o = sandbox_option_table(&n); o < first; o++)
		if (in_same_section(o, first->key) && is_set(p, o))
			return false;
	return true;
}

static void write_sections(struct profile_writing *p)
{
	size_t n;
	const struct sandbox_option *table = sandbox_option_table(&n);

	for (size_t i = 0; i < n; i++) {
		const struct sandbox_option *o = &table[i];

		if (!o->key || in_same_section(o, "program") || !is_set(p, o) ||
			!is_first_of_section(p, o))
			continue;
		fprintf(p->out, "\n[%.*s]\n", (int)strcspn(o->key, "."), o->key);
		write_entries(p, o->key);
	}
}

const char *sandbox_profile_write(struct arena *a, const struct sandbox_options *o, const char *cwd)
{
	auto_free char *text = NULL;
	size_t n;
	struct profile_writing p = { .a = a, .o = o, .cwd = cwd, .representable = true };

	p.out = open_memstream(&text, &n);
	if (!p.out)
		return NULL;
	write_program(&p);
	write_sections(&p);
	if (fclose(p.out) != 0 || !p.representable)
		return NULL;
	return arena_strdup(a, text);
}
