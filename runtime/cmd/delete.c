/* SPDX-License-Identifier: Apache-2.0
 *
 * Idempotent in every state: a container that runs, has stopped, lost its supervisor, or
 * whose create was killed half-way.
 */
#include <string.h>

#include "runtime/base/cleanup.h"
#include "runtime/cmd/container.h"
#include "runtime/cmd/delete.h"
#include "runtime/store/store.h"
#include "runtime/tree/tree.h"

static const struct flag flags[] = {
	{ "force", 'f', FLAG_BOOL, "kill it first; a container that is not there is no error" },
	{ 0 } };

static int remove_state(const struct container *c, struct sl_err *err)
{
	if (tree_detach(c->dir_fd, STORE_ROOTFS, err) < 0)
		return -1;
	return store_remove(c->root_fd, c->id, err);
}

/* No record that can be read: a create that never finished, or a damaged file. Its
 * processes went with their supervisor; what is left is the directory. */
static int remove_remains(struct cli *cli, const char *id, struct sl_err *err)
{
	auto_container struct container c = { .id = id, .root_fd = -1, .dir_fd = -1, .proc_fd = -1 };

	if (store_open_root(cli->root, false, &c.root_fd, err) < 0)
		return err->code == ENOENT ? 0 : -1;
	if (store_open_locked(c.root_fd, id, CONTAINER_LOCK_MS, &c.dir_fd, err) < 0)
		return err->code == ENOENT ? 0 : -1;
	return remove_state(&c, err);
}

static int refuse_running(const struct container *c, struct sl_err *err)
{
	return sl_err_set(err, 0, "cannot delete container %s that is not stopped: %s", c->id,
		record_status_name(c->status));
}

int delete_container(struct cli *cli, const char *id, bool force, struct sl_err *err)
{
	auto_container struct container c = CONTAINER_NONE;

	if (store_check_id(id, err) < 0)
		return -1;
	if (container_open(cli, id, true, &c, err) < 0)
		return force ? remove_remains(cli, id, err) : -1;
	if (!force && (c.status == RECORD_RUNNING || c.status == RECORD_PAUSED))
		return refuse_running(&c, err);
	if (container_destroy(&c, err) < 0)
		return -1;
	if (remove_state(&c, err) < 0)
		return -1;
	c.status = RECORD_STOPPED;
	container_late_hooks(cli, &c, &c.record.hooks.poststop, "poststop");
	return 0;
}

static int run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	return delete_container(cli, f->args[0], flags_bool(f, "force"), err) < 0 ? CMD_ERROR : 0;
}

const struct command cmd_delete = {
	.name = "delete",
	.usage = "<container-id>",
	.summary = "remove a container that has stopped",
	.flags = flags,
	.min_args = 1,
	.max_args = 1,
	.failure_status = 1,
	.run = run,
};
