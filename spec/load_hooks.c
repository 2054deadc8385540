/* SPDX-License-Identifier: Apache-2.0
 *
 * hooks (config.md, "POSIX-platform Hooks").
 */
#include <limits.h>

#include "spec/load.h"

static int load_hook(const struct at *at, void *item)
{
	struct spec_hook *h = item;

	if (read_is(at, JSON_OBJECT) < 0)
		return -1;
	if (read_path_str(at, "path", READ_REQUIRED, &h->path) < 0 ||
		read_strs(at, "args", &h->args, &h->n_args) < 0 ||
		read_strs(at, "env", &h->env, &h->n_env) < 0)
		return -1;
	if (h->n_args == 0)
		h->args = NULL;
	return read_int(at, "timeout", 1, INT_MAX, &h->timeout_seconds, NULL);
}

static int load_list(const struct at *hooks, const char *key, struct spec_hook_list *l)
{
	void *items = NULL;

	if (read_items(hooks, key, READ_OPTIONAL, sizeof(*l->items), load_hook, &items, &l->n) < 0)
		return -1;
	l->items = items;
	return 0;
}

int load_hooks(const struct at *root, struct spec_hooks *h)
{
	struct at hooks;

	if (read_object(root, "hooks", READ_OPTIONAL, &hooks) < 0)
		return -1;
	if (!hooks.j)
		return 0;
	if (load_list(&hooks, "prestart", &h->prestart) < 0 ||
		load_list(&hooks, "createRuntime", &h->create_runtime) < 0 ||
		load_list(&hooks, "createContainer", &h->create_container) < 0 ||
		load_list(&hooks, "startContainer", &h->start_container) < 0 ||
		load_list(&hooks, "poststart", &h->poststart) < 0)
		return -1;
	return load_list(&hooks, "poststop", &h->poststop);
}
