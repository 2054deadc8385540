/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/plan/devices.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "runtime/base/proc.h"
#include "runtime/plan/path.h"

/* config-linux.md, "Default Devices". /dev/console and /dev/ptmx are not nodes of the host: they
 * belong to the tree's own devpts. */
static const struct {
	const char *path;
	int64_t major, minor;
} default_devices[] = {
	{ "/dev/null", 1, 3 },
	{ "/dev/zero", 1, 5 },
	{ "/dev/full", 1, 7 },
	{ "/dev/random", 1, 8 },
	{ "/dev/urandom", 1, 9 },
	{ "/dev/tty", 5, 0 },
};

#define DEFAULT_DEVICES (sizeof(default_devices) / sizeof(default_devices[0]))

/* The default devices come first. A device of the bundle replaces one with the same path. */
int plan_devices_build(
	struct arena *a, const struct spec *spec, struct plan_fs *ret, struct sl_err *err)
{
	const struct spec_linux *l = &spec->linux_;
	struct spec_device *out = arena_array(a, DEFAULT_DEVICES + l->n_devices, sizeof(*out));
	size_t n = 0;

	for (; n < DEFAULT_DEVICES; n++)
		out[n] = (struct spec_device){ .path = arena_strdup(a, default_devices[n].path),
			.type = 'c',
			.major = default_devices[n].major,
			.minor = default_devices[n].minor };
	for (size_t i = 0; i < l->n_devices; i++) {
		struct spec_device d = l->devices[i];
		size_t at = 0;

		if (!d.path || d.path[0] != '/')
			return sl_err_set(err, 0, "linux.devices[%zu].path: not absolute", i);
		d.path = plan_path_clean(a, d.path);
		if (strcmp(d.path, "/") == 0)
			return sl_err_set(err, 0, "linux.devices[%zu].path: is the root", i);
		while (at < n && strcmp(out[at].path, d.path) != 0)
			at++;
		out[at] = d;
		n += at == n;
	}
	ret->devices = out;
	ret->n_devices = n;
	return 0;
}

static bool is_default(char type, int64_t major, int64_t minor)
{
	for (size_t i = 0; i < DEFAULT_DEVICES; i++)
		if (type == 'c' && default_devices[i].major == major &&
			default_devices[i].minor == minor)
			return true;
	return false;
}

static bool is_about(const struct spec_device_rule *rule, char type, int64_t major, int64_t minor)
{
	/* In the device cgroup the type "a" means all devices, whatever major and minor are. That
	 * is followed for a denial. An allow rule covers only the devices that it names. */
	if (rule->type == 'a' && !rule->allow)
		return true;
	return (rule->type == 'a' || rule->type == type) &&
	       (rule->major == -1 || rule->major == major) &&
	       (rule->minor == -1 || rule->minor == minor);
}

unsigned int plan_device_access(
	const struct spec_resources *resources, char type, int64_t major, int64_t minor)
{
	const unsigned int all = SPEC_DEVICE_READ | SPEC_DEVICE_WRITE | SPEC_DEVICE_MKNOD;
	unsigned int access = 0;

	if (is_default(type, major, minor))
		return all;
	for (size_t i = 0; i < resources->n_device_rules; i++) {
		const struct spec_device_rule *rule = &resources->device_rules[i];

		if (!is_about(rule, type, major, minor))
			continue;
		if (rule->allow)
			access |= rule->access;
		else
			access &= ~(rule->type == 'a' || !rule->access ? all : rule->access);
	}
	return access;
}

/* In a user namespace nobody enforces the device rules (runc and crun drop them), and podman turns
 * --device into a bind. So every node that the bundle names is granted: the namespace's root cannot
 * open more than its user on the host. */
int plan_device_granted(const struct spec_resources *resources, char type, int64_t major,
	int64_t minor, struct sl_err *err)
{
	const unsigned int both = SPEC_DEVICE_READ | SPEC_DEVICE_WRITE;
	const char word = type == 'b' ? 'b' : 'c'; /* the rules do not use the type "u" */
	const unsigned int access = both & plan_device_access(resources, word, major, minor);

	if (access == both || proc_in_user_namespace())
		return 1;
	if (access == 0)
		return 0;
	/* MOUNT_ATTR_RDONLY does not limit a device, and a Landlock rule for a node can only add to
	 * the rights of the root. */
	return sl_err_set(err, 0,
		"linux.resources.devices: %c %lld:%lld is granted for %s only, which cannot be "
		"enforced: grant both or neither",
		word, (long long)major, (long long)minor,
		access == SPEC_DEVICE_READ ? "reading" : "writing");
}

static int check_bind(const struct plan_fs *fs, const struct plan_mount *m, struct sl_err *err)
{
	struct stat st;

	/* A missing source is refused when the tree is built. */
	if (m->kind != PLAN_MOUNT_BIND || stat(m->source, &st) < 0 ||
		(!S_ISCHR(st.st_mode) && !S_ISBLK(st.st_mode)))
		return 0;
	return plan_device_granted(fs->resources, S_ISBLK(st.st_mode) ? 'b' : 'c',
		major(st.st_rdev), minor(st.st_rdev), err);
}

int plan_devices_check(const struct plan_fs *fs, struct sl_err *err)
{
	for (size_t i = 0; i < fs->n_devices; i++) {
		const struct spec_device *d = &fs->devices[i];

		if (d->type != 'p' &&
			plan_device_granted(fs->resources, d->type, d->major, d->minor, err) < 0)
			return sl_err_wrap(err, "device %s", d->path);
	}
	for (size_t i = 0; i < fs->n_mounts; i++)
		if (check_bind(fs, &fs->mounts[i], err) < 0)
			return sl_err_wrap(err, "mount %s", fs->mounts[i].destination);
	return 0;
}
