/* SPDX-License-Identifier: Apache-2.0 */
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>

#include "runtime/base/cleanup.h"
#include "runtime/container/internal.h"
#include "runtime/control/control.h"
#include "runtime/ipc/ipc.h"
#include "runtime/store/store.h"

/* A killed container is gone within milliseconds; a fork bomb on a busy machine takes seconds. */
#define REMAINS_MS 10000

/* pod: whose System V objects the container uses; NULL: unknown, all are searched. */
static int remove_state(const struct container *c, const char *pod, struct sl_err *err)
{
	if (ipc_leave(c->root_fd, pod, c->id, err) < 0)
		return -1;
	if (store_remove(c->root_fd, c->id, err) < 0)
		return -1;
	return store_forget_namespace(c->root_fd, err);
}

/* There is no record, or it is not a valid one. After another error the container may be
 * running, and then its state must not be lost. */
static bool is_damaged(const struct container *c, const struct sl_err *err)
{
	return !c->record.id && (err->code == 0 || err->code == ENOENT || err->code == EFBIG ||
					err->code == EISDIR || err->code == ELOOP);
}

/* Without a record, the supervisor is the process that listens on the socket (SO_PEERCRED,
 * unix(7)). It is asked to kill all processes, and then ends in order. */
static int end_unrecorded(const struct container *c, struct sl_err *err)
{
	struct control_request req = { .type = CONTROL_SIGNAL_ALL, .signal = SIGKILL };
	struct ucred peer = { 0 };
	socklen_t len = sizeof(peer);
	auto_fd int conn_fd = -1, pid_fd = -1;
	struct pollfd end = { .events = POLLIN };
	struct sl_err ignored;

	if (control_connect(c->dir_fd, &conn_fd, &ignored) < 0)
		return 0;
	if (getsockopt(conn_fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return sl_err_set(err, errno, "find the supervisor of %s", c->id);
	pid_fd = pidfd_open(peer.pid, 0);
	if (pid_fd < 0 && errno != ESRCH)
		return sl_err_set(err, errno, "watch the supervisor of %s", c->id);
	if (pid_fd < 0 || control_send(conn_fd, &req, NULL, 0, &ignored) < 0)
		return 0; /* it has ended meanwhile */
	end.fd = pid_fd;
	if (poll(&end, 1, REMAINS_MS) <= 0)
		return sl_err_set(
			err, 0, "the supervisor of %s (%d) does not end", c->id, peer.pid);
	return 0;
}

/* For a container without a valid record: its create was killed, or the file is damaged. */
static int remove_remains(const struct runtime *rt, const char *id, struct sl_err *err)
{
	auto_container struct container c = {
		.id = id, .root_fd = -1, .dir_fd = -1, .proc_fd = -1
	};

	if (store_open_root(rt->root, false, &c.root_fd, err) < 0)
		return err->code == ENOENT ? 0 : -1;
	if (store_open_locked(c.root_fd, id, CONTAINER_LOCK_MS, &c.dir_fd, err) < 0)
		return err->code == ENOENT ? store_forget_namespace(c.root_fd, err) : -1;
	if (end_unrecorded(&c, err) < 0)
		return -1;
	return remove_state(&c, NULL, err);
}

static int refuse_running(const struct container *c, struct sl_err *err)
{
	return sl_err_set(err, 0, "cannot delete container %s that is not stopped: %s", c->id,
		record_status_name(c->status));
}

int container_delete(
	const struct runtime *rt, const char *id, enum container_delete what, struct sl_err *err)
{
	const bool any = what == CONTAINER_DELETE_ANY;
	auto_container struct container c = CONTAINER_NONE;

	if (store_check_id(id, err) < 0)
		return -1;
	if (container_open(rt, id, CONTAINER_CHANGE, &c, err) < 0)
		return any && is_damaged(&c, err) ? remove_remains(rt, id, err) : -1;
	if (!any && (c.status == RECORD_RUNNING || c.status == RECORD_PAUSED))
		return refuse_running(&c, err);
	if (container_destroy(&c, err) < 0)
		return -1;
	if (remove_state(&c, c.record.ipc, err) < 0)
		return -1;
	c.status = RECORD_STOPPED;
	container_poststop(rt, &c);
	return 0;
}

int container_forget(const struct runtime *rt, const char *id, struct sl_err *err)
{
	auto_fd int root_fd = -1;

	if (store_open_root(rt->root, false, &root_fd, err) < 0)
		return -1;
	if (store_remove(root_fd, id, err) < 0)
		return -1;
	return store_forget_namespace(root_fd, err);
}
