/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/store/store.h"
#include "shim/rootfs/rootfs.h"
#include "shim/sandbox/sandbox.h"
#include "shim/task/inside.h"

const char *shim_default_root(void)
{
	const char *root = getenv(SHIM_ROOT_ENV);

	return root && root[0] == '/' ? root : SHIM_ROOT;
}

/* Reads the state root that create has written into the bundle. Without that file the default one
 * is used. */
static const char *cleanup_find_root(struct arena *a, const char *namespace, const char *bundle)
{
	const char *path = arena_printf(a, "%s/" SHIM_ROOT_FILE, bundle);
	struct sl_err ignored;
	char *root;
	size_t n;

	if (io_read_file(a, AT_FDCWD, path, PATH_MAX, &root, &n, &ignored) == 0 && root[0] == '/')
		return root;
	return arena_printf(a, "%s/%s", shim_default_root(), namespace);
}

static int cleanup_if_of_pod(
	const struct runtime *rt, const char *id, const char *pod, struct sl_err *err)
{
	auto_container struct container c = CONTAINER_NONE;
	struct sl_err ignored;

	/* It cannot be opened if somebody else has removed it. */
	if (container_open(rt, id, CONTAINER_READ, &c, &ignored) < 0 ||
		strcmp(record_pod(&c.record), pod) != 0)
		return 0;
	if (container_delete(rt, id, CONTAINER_DELETE_ANY, err) < 0)
		return -1;
	return rootfs_unmount(c.record.bundle, err);
}

/* When the shim of a pod without a pause container is gone, containerd asks for the pod only. */
static int cleanup_pod(const struct runtime *rt, const char *pod, struct sl_err *err)
{
	auto_fd int root_fd = -1;
	char **ids;

	if (store_open_root(rt->root, false, &root_fd, err) < 0)
		return err->code == ENOENT ? 0 : -1;
	if (store_list(rt->arena, root_fd, &ids, err) < 0)
		return -1;
	for (; *ids; ids++)
		if (cleanup_if_of_pod(rt, *ids, pod, err) < 0)
			return -1;
	return 0;
}

static bool is_container(const struct runtime *rt, const char *id)
{
	auto_container struct container c = CONTAINER_NONE;
	struct sl_err ignored;

	return container_open(rt, id, CONTAINER_READ, &c, &ignored) == 0;
}

int shim_clean_up(const char *namespace, const char *id, const char *bundle, struct sl_err *err)
{
	auto_arena struct arena *a = arena_new();
	const struct runtime rt = { .arena = a, .root = cleanup_find_root(a, namespace, bundle) };
	const bool is_pod = !is_container(&rt, id);

	if (container_delete(&rt, id, CONTAINER_DELETE_ANY, err) < 0 &&
		strcmp(err->msg, "container does not exist") != 0)
		return -1;
	if (is_pod && cleanup_pod(&rt, id, err) < 0)
		return -1;
	if (sandbox_remove_files(bundle, err) < 0)
		return -1;
	return rootfs_unmount(bundle, err);
}
