/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "runtime/base/json.h"
#include "sandbox/sandbox.h"
#include "sandbox/toml/toml.h"
#include "sandlock/sandlock.h"

static void inspect_put(struct json_gen *g, const struct toml *v);

static void inspect_put_items(struct json_gen *g, const struct toml *v)
{
	for (const struct toml *i = v->first; i; i = i->next) {
		if (i->key)
			json_gen_key(g, i->key);
		inspect_put(g, i);
	}
	json_gen_end(g);
}

static void inspect_put(struct json_gen *g, const struct toml *v)
{
	switch (v->type) {
	case TOML_TABLE:
		json_gen_object(g);
		inspect_put_items(g, v);
		break;
	case TOML_ARRAY:
		json_gen_array(g);
		inspect_put_items(g, v);
		break;
	case TOML_INTEGER: json_gen_i64(g, v->integer); break;
	case TOML_BOOLEAN: json_gen_bool(g, v->boolean); break;
	case TOML_STRING:
	case TOML_FLOAT:
	case TOML_TIME: json_gen_string(g, v->text); break;
	}
}

static const char *find_profile(const struct record *r)
{
	for (size_t i = 0; i < r->n_annotations; i++)
		if (strcmp(r->annotations[i].key, SANDBOX_PROFILE_KEY) == 0)
			return r->annotations[i].value;
	return NULL;
}

static int print_json(
	struct runtime *rt, const struct container *c, const char *profile, struct sl_err *err)
{
	struct json_gen *g = json_gen_new(rt->arena, true);
	const struct toml *root;
	struct spec_state state;
	size_t len;

	if (toml_parse(rt->arena, profile, strlen(profile), &root, err) < 0)
		return -1;
	container_state(rt, c, &state);
	container_ports(rt, c, &state);
	json_gen_object(g);
	json_gen_key(g, "state");
	state.annotations = NULL;
	state.n_annotations = 0;
	spec_state_gen(g, &state);
	json_gen_key(g, "profile");
	inspect_put(g, root);
	json_gen_end(g);
	puts(json_gen_take(g, &len));
	return 0;
}

static int print_sandbox(struct runtime *rt, const char *name, bool toml, struct sl_err *err)
{
	auto_container struct container c = CONTAINER_NONE;
	const char *profile;

	if (sandlock_open(rt, name, &c, err) < 0)
		return -1;
	profile = find_profile(&c.record);
	if (!profile)
		return sl_err_set(err, 0, "%s: its options are no UTF-8", name);
	if (!toml)
		return print_json(rt, &c, profile, err);
	fputs(profile, stdout);
	return 0;
}

int sandlock_inspect(struct runtime *rt, int argc, char **argv, char *const *all)
{
	static const char usage[] = "inspect NAME [--toml]";
	const bool toml = argc == 2 && strcmp(argv[1], "--toml") == 0;
	struct sl_err err;

	(void)all;
	if (sandlock_helped(argc, argv,
		    "inspect NAME [--toml]\n\n"
		    "prints state and options of a sandbox that runs, as JSON; with --toml the\n"
		    "options as a profile for sandlock run --profile-file"))
		return 0;
	if (argc < 1 || argv[0][0] == '-' || argc != 1 + toml) {
		sl_err_set(&err, 0, "usage: sandlock %s", usage);
		return sandlock_fail(rt, &err);
	}
	rt->root = sandbox_state_root(rt->arena, &err);
	if (!rt->root || print_sandbox(rt, argv[0], toml, &err) < 0)
		return sandlock_fail(rt, &err);
	return fflush(stdout) == 0 ? 0 : STATUS_FAILED;
}
