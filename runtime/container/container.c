/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/container/container.h"

#include <fcntl.h>
#include <signal.h>

#include "runtime/base/cleanup.h"
#include "runtime/container/internal.h"
#include "runtime/store/store.h"

/* A supervisor ends within milliseconds after its workload, later only on an overloaded machine.
 * After this time it is killed. */
#define SUPERVISOR_GRACE_MS 3000
#define INIT_GRACE_MS       2000
#define SWEEP_MS            10000

void container_log(const struct runtime *rt, enum runtime_level level, const char *text)
{
	if (rt->log)
		rt->log(rt->log_ctx, level, text);
}

struct members container_members(const struct container *c, struct members_mounts *ret_mounts)
{
	*ret_mounts = (struct members_mounts){
		.ids = c->record.mount_ids,
		.n = c->record.n_mount_ids,
		.namespace = c->record.mount_namespace,
	};
	return (struct members){
		.proc_fd = c->proc_fd,
		.test = members_by_mounts,
		.of = ret_mounts,
		.supervisor = c->record.supervisor,
		.init = c->record.init,
	};
}

/* The socket of the supervisor is still there, so the supervisor was killed. If init was killed
 * too, the container's processes are still running and can be recognised only by their root
 * directory. */
static int sweep_killed(const struct container *c, struct sl_err *err)
{
	struct members_mounts mounts;
	struct members m = container_members(c, &mounts);
	int left;

	/* Supervisor and init count as members here, because they have to end as well. */
	m.supervisor = m.init = (struct proc_id){ 0 };
	/* init sees that the supervisor is gone and kills its domain, also processes that have
	 * another root by now. */
	if (!proc_wait_end(c->proc_fd, &c->record.init, INIT_GRACE_MS))
		proc_signal(c->proc_fd, &c->record.init, SIGKILL);
	left = members_kill(&m, SWEEP_MS);
	if (left < 0)
		return sl_err_set(err, errno, "sweep the processes of %s", c->id);
	if (left > 0)
		return sl_err_set(err, 0, "%d processes of %s could not be killed", left, c->id);
	unlinkat(c->dir_fd, STORE_CONTROL, 0);
	return 0;
}

/* Returns true only if the socket certainly does not exist: then no process is left. */
static bool ended_in_order(const struct container *c)
{
	return faccessat(c->dir_fd, STORE_CONTROL, F_OK, AT_SYMLINK_NOFOLLOW) < 0 &&
	       errno == ENOENT;
}

static int find_status(struct container *c, struct sl_err *err)
{
	if (proc_alive(c->proc_fd, &c->record.supervisor)) {
		c->status = c->record.status;
		return 0;
	}
	c->status = RECORD_STOPPED;
	return ended_in_order(c) ? 0 : sweep_killed(c, err);
}

static int open_parts(const struct runtime *rt, const char *id, enum container_access access,
	struct container *c, struct sl_err *err)
{
	/* The id may point into the command line, which the supervisor overwrites (proctitle.h). */
	c->id = arena_strdup(rt->arena, id);
	c->root_fd = c->dir_fd = -1;
	c->proc_fd = proc_open();
	if (c->proc_fd < 0)
		return sl_err_set(err, errno, "open /proc");
	if (store_check_id(id, err) < 0)
		return -1;
	if (store_open_root(rt->root, false, &c->root_fd, err) < 0)
		return err->code == ENOENT ? sl_err_set(err, 0, "container does not exist") : -1;
	return access == CONTAINER_CHANGE
		       ? store_open_locked(c->root_fd, id, CONTAINER_LOCK_MS, &c->dir_fd, err)
		       : store_open(c->root_fd, id, &c->dir_fd, err);
}

static int open_and_look(const struct runtime *rt, const char *id, enum container_access access,
	struct container *c, struct sl_err *err)
{
	if (open_parts(rt, id, access, c, err) < 0)
		return -1;
	if (record_read(rt->arena, c->dir_fd, &c->record, err) < 0) {
		/* `create` has not finished or was killed. For runc's callers the container does
		 * not exist yet; `delete --force` removes it. */
		if (err->code == ENOENT)
			return sl_err_set(err, 0, "container does not exist");
		return -1;
	}
	return find_status(c, err);
}

int container_open(const struct runtime *rt, const char *id, enum container_access access,
	struct container *ret, struct sl_err *err)
{
	int rc = open_and_look(rt, id, access, ret, err);

	if (rc < 0)
		/* this also releases the lock, so that the caller can take it again */
		container_close(ret);
	return rc;
}

void container_close(struct container *c)
{
	drop_fd(&c->root_fd);
	drop_fd(&c->dir_fd);
	drop_fd(&c->proc_fd);
}

int container_need_alive(const struct container *c, struct sl_err *err)
{
	if (c->status == RECORD_STOPPED || c->status == RECORD_CREATING)
		return sl_err_set(err, 0, "container not running");
	return 0;
}

int container_destroy(const struct container *c, struct sl_err *err)
{
	const struct record *r = &c->record;

	/* The workload is killed first: then the supervisor ends in order and gives its parent
	 * the right exit status. */
	if (proc_alive(c->proc_fd, &r->supervisor)) {
		proc_signal(c->proc_fd, &r->workload, SIGKILL);
		if (!proc_wait_end(c->proc_fd, &r->supervisor, SUPERVISOR_GRACE_MS)) {
			proc_signal(c->proc_fd, &r->supervisor, SIGKILL);
			proc_wait_end(c->proc_fd, &r->supervisor, SUPERVISOR_GRACE_MS);
		}
	}
	return ended_in_order(c) ? 0 : sweep_killed(c, err);
}
