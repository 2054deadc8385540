/* SPDX-License-Identifier: Apache-2.0
 *
 * The entry points of the room. It chooses the way to build the tree, and returns the result.
 */
#include "runtime/tree/tree.h"

#include <stdio.h>
#include <string.h>

#include "runtime/tree/internal.h"

static int build_any(struct builder *b, struct sl_err *err)
{
	const struct plan_fs *fs = b->fs;
	const struct tree_context *ctx = b->ctx;

	if (!fs->staged) {
		if (build_steps(b, err) == 0)
			return 0;
		/* Before Linux 6.15 the very first join (or clone of a detached mount) fails with
		 * EINVAL, so no probe is needed on kernels that can do it. */
		if (err->code != EINVAL || b->n_joined > 1)
			return -1;
		builder_close(b);
		builder_init(b, fs, ctx);
	}
	return staged_build(b, err);
}

/* Returns the names of the mount points. They are not known after a staged build, nor if a bind has
 * brought other mounts with it. */
static void tell_names(struct arena *a, const struct builder *b, struct tree *ret)
{
	ret->mount_names = NULL;
	ret->n_mount_names = 0;
	if (b->n_joined == 0 || b->stage_fd >= 0 || b->brings_mounts)
		return;
	ret->mount_names = arena_array(a, b->n_joined, sizeof(*ret->mount_names));
	for (size_t i = 0; i < b->n_joined; i++) {
		const char *slash = strrchr(b->joined[i].path, '/');

		ret->mount_names[ret->n_mount_names++] =
			arena_strdup(a, slash ? slash + 1 : b->joined[i].path);
	}
}

/* Moves the descriptors from the builder to the tree. */
static void give_procs(struct arena *a, struct builder *b, struct tree *ret)
{
	ret->n_procs = b->pid1.n;
	ret->pid1_fds = arena_array(a, b->pid1.n, sizeof(*ret->pid1_fds));
	ret->proc_paths = arena_array(a, b->pid1.n, sizeof(*ret->proc_paths));
	for (size_t i = 0; i < b->pid1.n; i++) {
		ret->pid1_fds[i] = take_fd(&b->pid1.items[i]);
		ret->proc_paths[i] = arena_strdup(a, b->proc_paths[i]);
	}
	b->pid1.n = 0;
}

int tree_build(struct arena *a, const struct plan_fs *fs, const struct tree_context *ctx,
	struct tree *ret, struct sl_err *err)
{
	struct builder b;

	builder_init(&b, fs, ctx);
	if (build_any(&b, err) < 0) {
		builder_close(&b);
		return -1;
	}
	ret->root_fd = take_fd(&b.root_fd);
	ret->scratch_fd = take_fd(&b.synth_fd);
	ret->console_fd = take_fd(&b.console_fd);
	ret->console_index = b.console_index;
	ret->n_mount_ids = b.n_ids;
	ret->mount_ids = arena_array(a, b.n_ids, sizeof(*b.ids));
	memcpy(ret->mount_ids, b.ids, b.n_ids * sizeof(*b.ids));
	tell_names(a, &b, ret);
	give_procs(a, &b, ret);
	builder_close(&b);
	return 0;
}

bool tree_can_mount_detached(void)
{
	auto_fd int outer_fs = fsopen("tmpfs", FSOPEN_CLOEXEC);
	auto_fd int inner_fs = fsopen("tmpfs", FSOPEN_CLOEXEC);
	auto_fd int outer = -1, inner = -1;

	if (outer_fs < 0 || inner_fs < 0 ||
		fsconfig(outer_fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0 ||
		fsconfig(inner_fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return false;
	outer = fsmount(outer_fs, FSMOUNT_CLOEXEC, 0);
	inner = fsmount(inner_fs, FSMOUNT_CLOEXEC, 0);
	return outer >= 0 && inner >= 0 && mkdirat(outer, "x", 0700) == 0 &&
	       move_mount(inner, "", outer, "x", MOVE_MOUNT_F_EMPTY_PATH) == 0;
}
