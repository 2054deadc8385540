/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/io.h"
#include "runtime/base/json.h"
#include "shim/sandbox/sandbox.h"
#include "spec/spec.h"

static const struct {
	const char *destination;
	const char *file; /* its name in the sandbox's bundle */
} shared[] = {
	{ "/etc/hostname", "hostname" },
	{ "/etc/resolv.conf", "resolv.conf" },
	{ "/dev/shm", "shm" },
};
#define N_SHARED (sizeof(shared) / sizeof(shared[0]))

struct completion {
	struct arena *a;
	const char *sandbox_bundle;
	struct json_gen *g;
	bool named[N_SHARED]; /* the container's config.json has its own mount there */
};

static bool json_is(const struct json *j, const char *key, const char *text)
{
	const struct json *v = json_get(j, key);

	return v && v->type == JSON_STRING && strcmp(v->text, text) == 0;
}

/* Copies one mount, unless the pod's file or directory replaces it. */
static void copy_mount(struct completion *c, const struct json *mount)
{
	for (size_t i = 0; i < N_SHARED; i++) {
		if (!json_is(mount, "destination", shared[i].destination))
			continue;
		if (json_is(mount, "type", "tmpfs"))
			return;
		c->named[i] = true;
	}
	json_gen_value(c->g, mount);
}

static void bundle_add_mount(struct completion *c, size_t i)
{
	const char *source = arena_printf(c->a, "%s/%s", c->sandbox_bundle, shared[i].file);
	struct stat st;

	if (c->named[i] || stat(source, &st) < 0)
		return;
	json_gen_object(c->g);
	json_gen_member_string(c->g, "destination", shared[i].destination);
	json_gen_member_string(c->g, "type", "bind");
	json_gen_member_string(c->g, "source", source);
	json_gen_key(c->g, "options");
	json_gen_array(c->g);
	json_gen_string(c->g, "rbind");
	json_gen_string(c->g, "rw");
	json_gen_end(c->g);
	json_gen_end(c->g);
}

static void write_mounts(struct completion *c, const struct json *mounts)
{
	json_gen_key(c->g, "mounts");
	json_gen_array(c->g);
	for (size_t i = 0; mounts && mounts->type == JSON_ARRAY && i < mounts->n; i++)
		copy_mount(c, mounts->items[i]);
	for (size_t i = 0; i < N_SHARED; i++)
		bundle_add_mount(c, i);
	json_gen_end(c->g);
}

int sandbox_complete_bundle(const char *sandbox_bundle, const char *bundle, struct sl_err *err)
{
	auto_arena struct arena *a = arena_new();
	auto_fd int dir_fd = open(bundle, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct completion c = { .a = a, .sandbox_bundle = sandbox_bundle };
	const struct json *spec;
	const char *out;
	char *text;
	size_t n;

	if (dir_fd < 0)
		return sl_err_set(err, errno, "bundle %s", bundle);
	if (io_read_file(a, dir_fd, "config.json", SPEC_MAX_BYTES, &text, &n, err) < 0 ||
		json_parse(a, text, n, &spec, err) < 0)
		return sl_err_wrap(err, "config.json");
	if (spec->type != JSON_OBJECT)
		return sl_err_set(err, 0, "config.json: expected an object");
	c.g = json_gen_new(a, false);
	json_gen_object(c.g);
	for (size_t i = 0; i < spec->n; i++) {
		if (strcmp(spec->keys[i], "mounts") == 0)
			continue;
		json_gen_key(c.g, spec->keys[i]);
		json_gen_value(c.g, spec->items[i]);
	}
	write_mounts(&c, json_get(spec, "mounts"));
	json_gen_end(c.g);
	out = json_gen_take(c.g, &n);
	return io_replace_file(dir_fd, "config.json", out, n, 0600, err);
}
