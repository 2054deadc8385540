/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/profile.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/count.h"
#include "runtime/base/io.h"
#include "sandbox/nearest.h"
#include "sandbox/toml/toml.h"

struct profile_reading {
	struct arena *a;
	struct sl_err *err;
	struct sandbox_options *options;
	const struct toml *exec, *args, *uid, *gid;
};

static int fail(const struct profile_reading *p, const struct toml *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), cold));

static int fail(const struct profile_reading *p, const struct toml *at, const char *fmt, ...)
{
	char msg[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	return sl_err_set(p->err, 0, "line %zu, column %zu: %s", at->line, at->column, msg);
}

static const struct sandbox_option *option_by_key(const char *key)
{
	size_t n;
	const struct sandbox_option *table = sandbox_option_table(&n);

	for (size_t i = 0; i < n; i++) {
		if (table[i].key && strcmp(table[i].key, key) == 0)
			return &table[i];
	}
	return NULL;
}

static int wrong_type(const struct profile_reading *p, const struct toml *v, const char *key,
	const char *expected)
{
	return fail(p, v, "%s: expected %s, got %s", key, expected, toml_type_name(v->type));
}

/* A string, or an integer in decimal. NULL for other types. */
static const char *scalar_text(const struct profile_reading *p, const struct toml *v)
{
	if (v->type == TOML_STRING)
		return v->text;
	if (v->type == TOML_INTEGER)
		return arena_printf(p->a, "%" PRId64, v->integer);
	return NULL;
}

/* [0, 2] is "0,2". */
static const char *numbers(const struct profile_reading *p, const struct toml *v)
{
	const char *all = "";

	for (const struct toml *i = v->first; i; i = i->next) {
		if (i->type != TOML_INTEGER)
			return NULL;
		all = arena_printf(p->a, "%s%s%" PRId64, all, *all ? "," : "", i->integer);
	}
	return *all ? all : NULL;
}

static int read_list(
	const struct profile_reading *p, const struct sandbox_option *o, const struct toml *v)
{
	if (v->type != TOML_ARRAY)
		return wrong_type(p, v, o->key, "an array");
	for (const struct toml *i = v->first; i; i = i->next) {
		const char *text = scalar_text(p, i);

		if (!text || !*text)
			return fail(p, i, "%s: each element is a string: %s", o->key, o->value);
		sandbox_option_set(p->a, o, text, p->options);
	}
	return 0;
}

static int read_text(
	const struct profile_reading *p, const struct sandbox_option *o, const struct toml *v)
{
	const char *text = v->type == TOML_ARRAY ? numbers(p, v) : scalar_text(p, v);

	if (!text)
		return wrong_type(p, v, o->key, "a string or an integer");
	if (!*text)
		return fail(p, v, "%s: the value is empty, expected: %s", o->key, o->value);
	sandbox_option_set(p->a, o, text, p->options);
	return 0;
}

static int read_option(
	const struct profile_reading *p, const struct sandbox_option *o, const struct toml *v)
{
	switch (o->type) {
	case SANDBOX_LIST: return read_list(p, o, v);
	case SANDBOX_TEXT: return read_text(p, o, v);
	case SANDBOX_SWITCH: break;
	}
	if (v->type != TOML_BOOLEAN)
		return wrong_type(p, v, o->key, "true or false");
	sandbox_option_set(p->a, o, v->boolean ? "true" : "false", p->options);
	return 0;
}

static int read_exec(struct profile_reading *p, const struct toml *v)
{
	if (v->type != TOML_STRING || !*v->text)
		return wrong_type(p, v, "program.exec", "the name or path of a program");
	p->exec = v;
	return 0;
}

static int read_args(struct profile_reading *p, const struct toml *v)
{
	if (v->type != TOML_ARRAY)
		return wrong_type(p, v, "program.args", "an array");
	for (const struct toml *i = v->first; i; i = i->next) {
		if (i->type != TOML_STRING)
			return wrong_type(p, i, "program.args", "strings");
	}
	p->args = v;
	return 0;
}

static int read_env(struct profile_reading *p, const struct toml *v)
{
	if (v->type != TOML_TABLE)
		return wrong_type(p, v, "program.env", "a table");
	for (const struct toml *i = v->first; i; i = i->next) {
		if (i->type != TOML_STRING)
			return wrong_type(p, i, "program.env", "strings");
		sandbox_option_set(p->a, option_by_key("program.env"),
			arena_printf(p->a, "%s=%s", i->key, i->text), p->options);
	}
	return 0;
}

static int read_uid(struct profile_reading *p, const struct toml *v)
{
	p->uid = v;
	return v->type == TOML_INTEGER ? 0 : wrong_type(p, v, "program.uid", "an integer");
}

static int read_gid(struct profile_reading *p, const struct toml *v)
{
	p->gid = v;
	return v->type == TOML_INTEGER ? 0 : wrong_type(p, v, "program.gid", "an integer");
}

/* Keys that are no option of their own. */
static const struct {
	const char *key;
	int (*read)(struct profile_reading *p, const struct toml *v);
} special[] = {
	{ "program.exec", read_exec },
	{ "program.args", read_args },
	{ "program.env", read_env },
	{ "program.uid", read_uid },
	{ "program.gid", read_gid },
};

static int unknown(const struct profile_reading *p, const struct toml *v, const char *key)
{
	size_t n;
	const struct sandbox_option *table = sandbox_option_table(&n);
	const char *why = sandbox_option_why_later(key);
	struct nearest near = { .word = key };

	if (why)
		return fail(p, v, "%s is refused: %s", key, why);
	for (size_t i = 0; i < COUNT(special); i++)
		nearest_try(&near, special[i].key);
	for (size_t i = 0; i < n; i++) {
		if (table[i].key)
			nearest_try(&near, table[i].key);
	}
	if (near.best)
		return fail(p, v, "unknown key %s; the nearest one is %s", key, near.best);
	return fail(p, v, "unknown key %s", key);
}

static int read_key(struct profile_reading *p, const struct toml *v, const char *key)
{
	const struct sandbox_option *o = option_by_key(key);

	for (size_t i = 0; i < COUNT(special); i++) {
		if (strcmp(special[i].key, key) == 0)
			return special[i].read(p, v);
	}
	return o ? read_option(p, o, v) : unknown(p, v, key);
}

static int read_sections(struct profile_reading *p, const struct toml *root)
{
	for (const struct toml *section = root->first; section; section = section->next) {
		if (section->type != TOML_TABLE)
			return fail(p, section, "%s stands in no section", section->key);
		if (!sandbox_option_has_section(section->key))
			return fail(p, section, "unknown section [%s]", section->key);
		for (const struct toml *v = section->first; v; v = v->next) {
			const char *key = arena_printf(p->a, "%s.%s", section->key, v->key);

			if (read_key(p, v, key) < 0)
				return -1;
		}
	}
	return 0;
}

static int take_command(struct profile_reading *p)
{
	char **words;
	size_t n = 0;

	if (!p->exec)
		return p->args ? fail(p, p->args, "program.args without program.exec") : 0;
	for (const struct toml *i = p->args ? p->args->first : NULL; i; i = i->next)
		n++;
	words = arena_array(p->a, n + 2, sizeof(*words));
	words[0] = arena_strdup(p->a, p->exec->text);
	n = 1;
	for (const struct toml *i = p->args ? p->args->first : NULL; i; i = i->next)
		words[n++] = arena_strdup(p->a, i->text);
	p->options->command = words;
	p->options->n_command = n;
	return 0;
}

static int take_user(struct profile_reading *p)
{
	if (!p->uid && !p->gid)
		return 0;
	if (!p->uid || !p->gid)
		return fail(
			p, p->uid ? p->uid : p->gid, "program.uid and program.gid belong together");
	p->options->user =
		arena_printf(p->a, "%" PRId64 ":%" PRId64, p->uid->integer, p->gid->integer);
	return 0;
}

int sandbox_profile_read(
	struct arena *a, const char *path, struct sandbox_options *ret, struct sl_err *err)
{
	struct profile_reading p = { .a = a, .err = err, .options = ret };
	const struct toml *root = NULL;
	size_t len;
	char *text;

	if (io_read_file(a, AT_FDCWD, path, TOML_MAX_SIZE, &text, &len, err) < 0 ||
		toml_parse(a, text, len, &root, err) < 0 || read_sections(&p, root) < 0 ||
		take_command(&p) < 0 || take_user(&p) < 0)
		return sl_err_wrap(err, "profile %s", path);
	return 0;
}

const char *sandbox_profile_path(struct arena *a, const char *name, struct sl_err *err)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (!*name || name[0] == '.' || strchr(name, '/')) {
		sl_err_set(err, 0,
			"profile '%s': expected a name, not a path; --profile-file takes a path",
			name);
		return NULL;
	}
	if (config && *config)
		return arena_printf(a, "%s/sandlock/profiles/%s.toml", config, name);
	if (home && *home)
		return arena_printf(a, "%s/.config/sandlock/profiles/%s.toml", home, name);
	sl_err_set(err, 0, "profile %s: neither XDG_CONFIG_HOME nor HOME is set", name);
	return NULL;
}

int sandbox_options_read(
	struct arena *a, int argc, char **argv, struct sandbox_options *ret, struct sl_err *err)
{
	struct sandbox_options flags = { 0 };
	const char *path;

	if (sandbox_options_parse(a, argc, argv, &flags, err) < 0)
		return -1;
	if (flags.profile && flags.profile_file)
		return sl_err_set(err, 0, "--profile and --profile-file: expected one of them");
	*ret = (struct sandbox_options){ 0 };
	if (flags.profile || flags.profile_file) {
		path = flags.profile ? sandbox_profile_path(a, flags.profile, err)
				     : flags.profile_file;
		if (!path || sandbox_profile_read(a, path, ret, err) < 0)
			return -1;
	}
	return sandbox_options_parse(a, argc, argv, ret, err);
}
