/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/options.h"

#include <string.h>

#include "runtime/base/count.h"
#include "sandbox/nearest.h"

static const struct sandbox_option table[] = {
#define OPTION(type, field, flag, letter, key, annotation, value, help)                            \
	{ SANDBOX_##type, offsetof(struct sandbox_options, field), flag, letter, key, annotation,  \
		value, help },
#define LATER(flag, letter, key, why)
#include "sandbox/options.def"
#undef LATER
#undef OPTION
};

static const struct {
	const char *flag;
	char letter;
	const char *key;
	const char *why;
} later[] = {
#define OPTION(type, field, flag, letter, key, annotation, value, help)
#define LATER(flag, letter, key, why) { flag, letter, key, why },
#include "sandbox/options.def"
#undef LATER
#undef OPTION
};

const struct sandbox_option *sandbox_option_table(size_t *ret_n)
{
	*ret_n = COUNT(table);
	return table;
}

const char *sandbox_option_why_later(const char *key)
{
	for (size_t i = 0; i < COUNT(later); i++) {
		if (later[i].key && strcmp(later[i].key, key) == 0)
			return later[i].why;
	}
	return NULL;
}

static bool is_in_section(const char *key, const char *section)
{
	const size_t n = strlen(section);

	return key && strncmp(key, section, n) == 0 && key[n] == '.';
}

bool sandbox_option_has_section(const char *section)
{
	for (size_t i = 0; i < COUNT(table); i++) {
		if (is_in_section(table[i].key, section))
			return true;
	}
	for (size_t i = 0; i < COUNT(later); i++) {
		if (is_in_section(later[i].key, section))
			return true;
	}
	return false;
}

static const char *member(const struct sandbox_option *o, const struct sandbox_options *options)
{
	return (const char *)options + o->offset;
}

const struct sandbox_list *sandbox_option_list(
	const struct sandbox_option *o, const struct sandbox_options *options)
{
	return (const void *)member(o, options);
}

const char *sandbox_option_text(
	const struct sandbox_option *o, const struct sandbox_options *options)
{
	return *(const char *const *)(const void *)member(o, options);
}

bool sandbox_option_is_on(const struct sandbox_option *o, const struct sandbox_options *options)
{
	return *(const bool *)member(o, options);
}

static void add_item(struct arena *a, struct sandbox_list *list, const char *value)
{
	const char **items = arena_array(a, list->n + 1, sizeof(*items));

	if (list->n)
		memcpy(items, list->items, list->n * sizeof(*items));
	items[list->n++] = value;
	list->items = items;
}

void sandbox_option_set(struct arena *a, const struct sandbox_option *o, const char *value,
	struct sandbox_options *options)
{
	void *at = (char *)options + o->offset;

	switch (o->type) {
	case SANDBOX_LIST: add_item(a, at, value); break;
	case SANDBOX_TEXT: *(const char **)at = value; break;
	case SANDBOX_SWITCH: *(bool *)at = strcmp(value, "true") == 0; break;
	}
}

/* word: "--name" or "--name=…" or "-x…"; *ret_rest is the value in the same word, or NULL. */
static const struct sandbox_option *find_option(const char *word, const char **ret_rest)
{
	const char *name = word + 2;
	const size_t n = strcspn(name, "=");

	for (size_t i = 0; i < COUNT(table); i++) {
		const struct sandbox_option *o = &table[i];

		if (word[1] != '-' && o->letter == word[1]) {
			*ret_rest = word[2] ? word + 2 : NULL;
			return o;
		}
		if (word[1] == '-' && strlen(o->flag) == n && strncmp(o->flag, name, n) == 0) {
			*ret_rest = name[n] ? name + n + 1 : NULL;
			return o;
		}
	}
	return NULL;
}

static int refuse_later(const char *word, size_t i, struct sl_err *err)
{
	return sl_err_set(err, 0, "%s is refused: %s", word, later[i].why);
}

static int refuse_unknown(struct arena *a, const char *word, struct sl_err *err)
{
	const char *name = arena_strndup(a, word + 2, strcspn(word + 2, "="));
	struct nearest near = { .word = name };

	if (word[1] != '-') {
		for (size_t i = 0; i < COUNT(later); i++)
			if (later[i].letter == word[1])
				return refuse_later(word, i, err);
		return sl_err_set(err, 0, "unknown option -%c; see sandlock run --help", word[1]);
	}
	for (size_t i = 0; i < COUNT(later); i++) {
		if (strcmp(later[i].flag, name) == 0)
			return refuse_later(arena_printf(a, "--%s", name), i, err);
		nearest_try(&near, later[i].flag);
	}
	for (size_t i = 0; i < COUNT(table); i++)
		nearest_try(&near, table[i].flag);
	if (near.best)
		return sl_err_set(
			err, 0, "unknown option --%s; the nearest one is --%s", name, near.best);
	return sl_err_set(err, 0, "unknown option --%s; see sandlock run --help", name);
}

/* Returns how many words the option at argv[0] has, or -1. */
static int take_option(
	struct arena *a, int argc, char **argv, struct sandbox_options *options, struct sl_err *err)
{
	const char *rest = NULL;
	const struct sandbox_option *o = find_option(argv[0], &rest);

	if (!o)
		return refuse_unknown(a, argv[0], err);
	if (o->type == SANDBOX_SWITCH) {
		if (rest)
			return sl_err_set(err, 0, "%s: --%s takes no value", argv[0], o->flag);
		sandbox_option_set(a, o, "true", options);
		return 1;
	}
	if (!rest && argc < 2)
		return sl_err_set(err, 0, "--%s needs a value: %s", o->flag, o->value);
	if (!*(rest ? rest : argv[1]))
		return sl_err_set(
			err, 0, "--%s: the value is empty, expected: %s", o->flag, o->value);
	sandbox_option_set(a, o, rest ? rest : argv[1], options);
	return rest ? 1 : 2;
}

int sandbox_options_parse(
	struct arena *a, int argc, char **argv, struct sandbox_options *ret, struct sl_err *err)
{
	struct sandbox_options options = *ret;
	int i = 0;

	while (i < argc && argv[i][0] == '-' && argv[i][1] && strcmp(argv[i], "--") != 0) {
		int n = take_option(a, argc - i, argv + i, &options, err);

		if (n < 0)
			return -1;
		i += n;
	}
	if (i < argc && strcmp(argv[i], "--") == 0)
		i++;
	if (i < argc) {
		options.command = argv + i;
		options.n_command = (size_t)(argc - i);
	}
	*ret = options;
	return 0;
}

void sandbox_options_print_help(FILE *out)
{
	for (size_t i = 0; i < COUNT(table); i++) {
		const struct sandbox_option *o = &table[i];

		if (o->letter)
			fprintf(out, "  -%c, --%s", o->letter, o->flag);
		else
			fprintf(out, "      --%s", o->flag);
		fprintf(out, "%s%s\n            %s\n", o->value ? " " : "",
			o->value ? o->value : "", o->help);
	}
}
