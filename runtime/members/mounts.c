/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/cleanup.h"
#include "runtime/members/members.h"
#include "runtime/tree/tree.h"

static bool find_root(int task_fd, const char *tid, void *ctx)
{
	auto_fd int dir_fd = proc_open_dir(task_fd, tid);
	uint64_t *id = ctx;

	*id = dir_fd < 0 ? 0 : tree_id_of_process(dir_fd);
	return *id == 0;
}

bool members_by_mounts(const struct members *m, const struct member *p)
{
	const struct members_mounts *mounts = m->of;
	uint64_t id = tree_id_of_process(p->dir_fd);

	/* If the first thread has ended before the others, it has no root any more. */
	if (id == 0)
		members_each_thread(p->dir_fd, find_root, &id);
	if (id == 0)
		return false;
	for (size_t i = 0; i < mounts->n; i++)
		if (mounts->ids[i] == id)
			return true;
	return mounts->namespace && tree_namespace_of_process(p->dir_fd) == mounts->namespace;
}
