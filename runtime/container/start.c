/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/container/internal.h"
#include "runtime/control/control.h"
#include "runtime/store/store.h"

static int check_created(const struct container *c, struct sl_err *err)
{
	if (c->status == RECORD_STOPPED)
		return sl_err_set(err, 0, "cannot start a container that has stopped");
	if (c->status == RECORD_RUNNING || c->status == RECORD_PAUSED)
		return sl_err_set(err, 0, "cannot start an already running container");
	return 0;
}

/* Opens the tracked process, and the socket on which the container reports that it is ready. */
static int watch_container(
	const struct container *c, struct container_started *ret, struct sl_err *err)
{
	ret->pid_fd = proc_pidfd(c->proc_fd, &c->record.supervisor);
	if (ret->pid_fd < 0)
		return sl_err_set(err, errno, "watch the container");
	return container_notify_open(c->dir_fd, &ret->notify_fd, err);
}

static int start(const struct runtime *rt, const struct container_start *req,
	struct container_started *ret, struct sl_err *err)
{
	struct control_request start = { .type = CONTROL_START };
	struct control_reply reply;
	auto_container struct container c = CONTAINER_NONE;

	if (container_open(rt, req->id, CONTAINER_CHANGE, &c, err) < 0 ||
		check_created(&c, err) < 0)
		return -1;
	ret->pid = c.record.supervisor.pid;
	if (req->notify == CONTAINER_NOTIFY && watch_container(&c, ret, err) < 0)
		return -1;
	if (control_call(c.dir_fd, &start, &reply, err) < 0)
		return -1;
	c.status = RECORD_RUNNING;
	container_log(rt, RUNTIME_DEBUG, "started");
	return container_poststart(rt, &c, err);
}

int container_start(const struct runtime *rt, const struct container_start *req,
	struct container_started *ret, struct sl_err *err)
{
	struct container_started started = { .pid_fd = -1, .notify_fd = -1 };

	if (start(rt, req, &started, err) < 0) {
		drop_fd(&started.pid_fd);
		drop_fd(&started.notify_fd);
		return -1;
	}
	*ret = started;
	return 0;
}
