/* SPDX-License-Identifier: Apache-2.0
 *
 * Overlay mounts (Documentation/filesystems/overlayfs.rst). Each layer is passed as a descriptor,
 * with "lowerdir+" or "datadir+": a value of fsconfig(2) has at most 255 bytes, and a list of image
 * layers is often longer.
 */
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "runtime/tree/internal.h"

static int layer_set(int fs_fd, const char *key, const char *path, struct sl_err *err)
{
	auto_fd int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return sl_err_set(err, errno, "%s %s", key, path);
	if (bind_check_source(fd, path, err) < 0)
		return -1;
	/* The kernel accepts descriptors since 6.13. */
	if (fsconfig(fs_fd, FSCONFIG_SET_FD, key, NULL, fd) == 0)
		return 0;
	return fs_set(fs_fd, key, path, err);
}

/* Reads one layer up to the next colon without a backslash; "\:" is a colon in the name. */
static const char *layer_next(const char *p, char path[PATH_MAX], struct sl_err *err)
{
	size_t n = 0;

	for (; *p && *p != ':'; p++) {
		if (*p == '\\' && p[1])
			p++;
		if (n + 1 >= PATH_MAX) {
			sl_err_fill(err, ENAMETOOLONG, "lowerdir");
			return NULL;
		}
		path[n++] = *p;
	}
	path[n] = '\0';
	return p;
}

/* Sets the layers of "a:b::c". The layers after an empty name contain data only. */
static int lower_set(int fs_fd, const char *list, struct sl_err *err)
{
	const char *key = "lowerdir+";
	char path[PATH_MAX];

	for (const char *p = list;; p++) {
		p = layer_next(p, path, err);
		if (!p)
			return -1;
		if (path[0] == '\0' && *p)
			key = "datadir+";
		else if (layer_set(fs_fd, key, path, err) < 0)
			return -1;
		if (*p == '\0')
			return 0;
	}
}

static int option_set(int fs_fd, const struct key_value *o, struct sl_err *err)
{
	if (o->value && strcmp(o->key, "lowerdir") == 0)
		return lower_set(fs_fd, o->value, err);
	if (o->value && (strcmp(o->key, "upperdir") == 0 || strcmp(o->key, "workdir") == 0))
		return layer_set(fs_fd, o->key, o->value, err);
	return fs_set(fs_fd, o->key, o->value, err);
}

int overlay_make(const struct plan_mount *m, uint64_t attrs, struct sl_err *err)
{
	auto_fd int fs_fd = fs_open("overlay", err);

	if (fs_fd < 0 || fs_set(fs_fd, "source", m->source, err) < 0)
		return -1;
	for (size_t i = 0; i < m->n_fs_options; i++)
		if (option_set(fs_fd, &m->fs_options[i], err) < 0)
			return -1;
	return fs_mount(fs_fd, attrs, err);
}
