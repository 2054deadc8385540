/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/plan/gpu.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "runtime/base/count.h"

#define GPU_KEY      "io.sandlock.gpu"
#define RENDER_FIRST 128 /* Documentation/gpu/drm-uapi.rst: render nodes */

/* The nodes of one host: three for each GPU, and the common ones. */
#define GPU_NODES_MAX (3 * RULE_GPU_MAX + 16)

static const char *const shared_nodes[] = { "/dev/nvidiactl", "/dev/nvidia-uvm",
	"/dev/nvidia-uvm-tools", "/dev/nvidia-modeset", "/dev/kfd" };

static const struct {
	const char *prefix;
	unsigned int first;
} numbered_nodes[] = {
	{ "/dev/nvidia", 0 },
	{ "/dev/dri/card", 0 },
	{ "/dev/dri/renderD", RENDER_FIRST },
};

struct gpu_nodes {
	struct spec_device items[GPU_NODES_MAX];
	size_t n;
};

static bool add_gpu_node(struct gpu_nodes *l, const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISCHR(st.st_mode) || l->n == GPU_NODES_MAX)
		return false;
	l->items[l->n++] = (struct spec_device){
		.path = path,
		.type = 'c',
		.major = major(st.st_rdev),
		.minor = minor(st.st_rdev),
		.has_mode = true,
		.has_uid = true,
		.has_gid = true,
		.mode = st.st_mode & 0777,
		.uid = st.st_uid,
		.gid = st.st_gid,
	};
	return true;
}

static bool add_gpu(struct arena *a, struct gpu_nodes *l, unsigned int gpu)
{
	bool any = false;

	for (size_t i = 0; i < COUNT(numbered_nodes); i++)
		any |= add_gpu_node(l, arena_printf(a, "%s%u", numbered_nodes[i].prefix,
					       numbered_nodes[i].first + gpu));
	return any;
}

static bool has_node(const struct gpu_nodes *l, const struct spec_device *d)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->items[i].path, d->path) == 0 ||
			(l->items[i].major == d->major && l->items[i].minor == d->minor &&
				d->type != 'b'))
			return true;
	return false;
}

/* Replaces the bundle's GPU devices by the chosen ones. */
static void choose_devices(struct arena *a, struct plan_fs *fs, const struct gpu_nodes *chosen,
	const struct gpu_nodes *others)
{
	struct spec_device *out = arena_array(a, fs->n_devices + chosen->n, sizeof(*out));
	size_t n = 0;

	for (size_t i = 0; i < fs->n_devices; i++)
		if (!has_node(chosen, &fs->devices[i]) && !has_node(others, &fs->devices[i]))
			out[n++] = fs->devices[i];
	for (size_t i = 0; i < chosen->n; i++)
		out[n++] = chosen->items[i];
	fs->devices = out;
	fs->n_devices = n;
}

static size_t put_rules(struct spec_device_rule *out, const struct gpu_nodes *nodes, bool allow)
{
	for (size_t i = 0; i < nodes->n; i++)
		out[i] = (struct spec_device_rule){
			.allow = allow,
			.type = 'c',
			.major = nodes->items[i].major,
			.minor = nodes->items[i].minor,
			.access = SPEC_DEVICE_READ | SPEC_DEVICE_WRITE | SPEC_DEVICE_MKNOD,
		};
	return nodes->n;
}

/* These rules come after those of the bundle, so they win. */
static void choose_rules(struct arena *a, struct plan_fs *fs, const struct gpu_nodes *chosen,
	const struct gpu_nodes *others)
{
	struct spec_resources *r = arena_alloc(a, sizeof(*r));
	const size_t n = fs->resources->n_device_rules;
	struct spec_device_rule *rules =
		arena_array(a, n + chosen->n + others->n + 1, sizeof(*rules));

	*r = *fs->resources;
	if (n > 0)
		memcpy(rules, fs->resources->device_rules, n * sizeof(*rules));
	r->n_device_rules = n + put_rules(rules + n, others, false);
	r->n_device_rules += put_rules(rules + r->n_device_rules, chosen, true);
	r->device_rules = rules;
	fs->resources = r;
}

int plan_gpu_build(struct arena *a, rule_gpus gpus, const struct node_policy *node,
	struct plan_fs *fs, struct sl_err *err)
{
	struct gpu_nodes *chosen, *others;

	if (gpus == 0)
		return 0;
	if (!node->annotations_limited)
		return sl_err_set(err, EPERM,
			"annotation " GPU_KEY ": it gives devices of the host; accepted: a node "
			"whose annotations.allow names it");
	chosen = arena_alloc(a, sizeof(*chosen));
	others = arena_alloc(a, sizeof(*others));
	for (unsigned int i = 0; i < RULE_GPU_MAX; i++)
		if (!(gpus & 1ULL << i))
			add_gpu(a, others, i);
		else if (!add_gpu(a, chosen, i) && gpus != UINT64_MAX)
			return sl_err_set(err, ENODEV,
				"annotation " GPU_KEY ": %u: the host has no node of such a GPU",
				i);
	if (chosen->n == 0)
		return sl_err_set(err, ENODEV, "annotation " GPU_KEY ": the host has no GPU");
	for (size_t i = 0; i < COUNT(shared_nodes); i++)
		add_gpu_node(chosen, shared_nodes[i]);
	choose_devices(a, fs, chosen, others);
	choose_rules(a, fs, chosen, others);
	return 0;
}

void plan_gpu_env(struct arena *a, rule_gpus gpus, struct plan_env_rules *rules)
{
	static const char *const names[] = { "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES" };
	const char *list = "0";

	if (gpus == 0 || gpus == UINT64_MAX)
		return;
	for (int i = 1; i < __builtin_popcountll(gpus); i++)
		list = arena_printf(a, "%s,%d", list, i);
	for (size_t i = 0; i < COUNT(names); i++)
		plan_env_rule_add(a, rules, arena_printf(a, "%s=%s", names[i], list));
}
