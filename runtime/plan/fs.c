/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns the root, mounts, devices and path lists of the bundle into the mount plan (config.md
 * "Root" and "Mounts", config-linux.md "Default Devices", "Masked Paths", "Readonly Paths").
 * Nothing is opened, and the host is not asked. The resulting paths are absolute and clean.
 */
#include "runtime/plan/fs.h"

#include <string.h>
#include <sys/mount.h>

#include "runtime/plan/devices.h"
#include "runtime/plan/mount_options.h"
#include "runtime/plan/path.h"

/* Each entry costs a mount and 0.3 ms at create. The kernel's limit for a mount namespace,
 * fs.mount-max, is ten times as high. */
#define MOUNTS_MAX 10000

static const char *path_of_bundle(struct arena *a, const char *bundle, const char *path)
{
	return path[0] == '/' ? path : arena_printf(a, "%s/%s", bundle, path);
}

static int mount_build(struct arena *a, const struct spec_mount *m, const char *bundle,
	struct plan_mount *ret, struct sl_err *err)
{
	const char *stands_for;

	if (!m->destination || m->destination[0] == '\0')
		return sl_err_set(err, 0, "no destination");
	ret->destination = plan_path_clean(a, m->destination);
	if (strcmp(ret->destination, "/") == 0)
		return sl_err_set(err, 0, "the root cannot be mounted over");
	ret->uid_mappings = m->uid_mappings;
	ret->n_uid_mappings = m->n_uid_mappings;
	ret->gid_mappings = m->gid_mappings;
	ret->n_gid_mappings = m->n_gid_mappings;
	if (mount_options_parse(a, m, ret, err) < 0)
		return -1;
	if (ret->kind != PLAN_MOUNT_BIND) {
		ret->source = m->source && m->source[0] ? m->source : "none";
		return 0;
	}
	if (!m->source || m->source[0] == '\0')
		return sl_err_set(err, 0, "a bind needs a source");
	ret->source = path_of_bundle(a, bundle, m->source);
	stands_for = spec_bind_stands_for(ret->source, ret->destination);
	if (stands_for && !mount_kind_of(stands_for, &ret->kind))
		return sl_err_set(err, 0, "a bind of %s", ret->source);
	return 0;
}

static int mounts_build(struct arena *a, const struct spec *spec, const char *bundle,
	struct plan_fs *ret, struct sl_err *err)
{
	if (spec->n_mounts > MOUNTS_MAX)
		return sl_err_set(err, 0, "mounts: %zu entries, at most %d are accepted",
			spec->n_mounts, MOUNTS_MAX);
	ret->mounts = arena_array(a, spec->n_mounts + 1, sizeof(*ret->mounts));
	for (size_t i = 0; i < spec->n_mounts; i++) {
		const struct spec_mount *m = &spec->mounts[i];

		if (mount_build(a, m, bundle, &ret->mounts[i], err) < 0)
			return sl_err_wrap(
				err, "mounts[%zu] (%s)", i, m->destination ? m->destination : "");
	}
	ret->n_mounts = spec->n_mounts;
	return 0;
}

static char *const *paths_clean(struct arena *a, char *const *paths, size_t n)
{
	char **out = arena_array(a, n + 1, sizeof(*out));

	for (size_t i = 0; i < n; i++)
		out[i] = plan_path_clean(a, paths[i]);
	return out;
}

static bool listed(char *const *list, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i], path) == 0)
			return true;
	return false;
}

/* These files of a procfs change settings of the host, and uid 0 needs no capability for most of
 * them. A bundle without readonlyPaths (a privileged pod, or one written by hand) must not make
 * them writable, so they are read-only in every procfs. */
static void readonly_build(struct arena *a, const struct spec_linux *l, struct plan_fs *fs)
{
	static const char *const always[] = { "sys", "sysrq-trigger", "irq", "bus", "fs", "acpi",
		"scsi", "driver", "mtrr", "dynamic_debug" };
	const size_t n_always = sizeof(always) / sizeof(always[0]);
	size_t n = l->n_readonly_paths, max = n + n_always * fs->n_mounts;
	char **out = arena_array(a, max + 1, sizeof(*out));

	for (size_t i = 0; i < n; i++)
		out[i] = plan_path_clean(a, l->readonly_paths[i]);
	for (size_t i = 0; i < fs->n_mounts; i++) {
		if (fs->mounts[i].kind != PLAN_MOUNT_PROC)
			continue;
		for (size_t k = 0; k < n_always; k++) {
			char *path = plan_path_clean(
				a, arena_printf(a, "%s/%s", fs->mounts[i].destination, always[k]));

			if (!listed(out, n, path) &&
				!listed(fs->masked_paths, fs->n_masked_paths, path))
				out[n++] = path;
		}
	}
	fs->readonly_paths = out;
	fs->n_readonly_paths = n;
}

/* A tree outside a mount namespace has no peers, so shared is reduced to slave. */
static int propagation_parse(const char *word, uint64_t *ret, struct sl_err *err)
{
	static const struct {
		const char *word;
		uint64_t propagation;
	} rows[] = {
		{ "", MS_PRIVATE },
		{ "private", MS_PRIVATE },
		{ "rprivate", MS_PRIVATE },
		{ "unbindable", MS_PRIVATE },
		{ "runbindable", MS_PRIVATE },
		{ "slave", MS_SLAVE },
		{ "rslave", MS_SLAVE },
		{ "shared", MS_SLAVE },
		{ "rshared", MS_SLAVE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(word, rows[i].word) == 0) {
			*ret = rows[i].propagation;
			return 0;
		}
	}
	return sl_err_set(err, 0, "linux.rootfsPropagation: unknown word \"%s\"", word);
}

int plan_fs_build(struct arena *a, const struct spec *spec, const struct node_policy *node,
	const char *bundle, struct plan_fs *ret, struct sl_err *err)
{
	const struct spec_linux *l = &spec->linux_;
	struct plan_fs fs = {
		.root_readonly = spec->root_readonly,
		.own_namespace = node->own_namespace,
		.staged = node->staged,
		.masked_paths = paths_clean(a, l->masked_paths, l->n_masked_paths),
		.n_masked_paths = l->n_masked_paths,
		.hostname = spec->hostname,
		.domainname = spec->domainname,
		.resources = &l->resources,
		.terminal = spec->has_process && spec->process.terminal,
		.cwd = spec->has_process ? spec->process.cwd : NULL,
		.sysctls = l->sysctl,
		.n_sysctls = l->n_sysctl,
		.hidepid_waived = node->waived[NODE_PROT_HIDEPID],
	};

	if (!spec->root_path || spec->root_path[0] == '\0')
		return sl_err_set(err, 0, "root.path: missing");
	fs.root_path = path_of_bundle(a, bundle, spec->root_path);
	if (propagation_parse(l->rootfs_propagation ? l->rootfs_propagation : "",
		    &fs.root_propagation, err) < 0)
		return -1;
	if (mounts_build(a, spec, bundle, &fs, err) < 0 ||
		plan_devices_build(a, spec, &fs, err) < 0)
		return -1;
	readonly_build(a, l, &fs);
	*ret = fs;
	return 0;
}

bool plan_fs_busy(const struct plan_fs *fs)
{
	return !fs->own_namespace && fs->n_mounts > 0;
}

const char *plan_fs_mode(bool own_namespace)
{
	return own_namespace ? "namespace: mountinfo and set-user-ID programs as with runc"
			     : "detached: neither mountinfo nor set-user-ID programs";
}
