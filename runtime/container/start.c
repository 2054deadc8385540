/* SPDX-License-Identifier: Apache-2.0 */
#include <poll.h>
#include <sys/pidfd.h>
#include <sys/wait.h>

#include "runtime/container/inside.h"
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

/* The process, and the socket on which it says that it is ready. */
static int watch(const struct container *c, struct container_started *ret, struct sl_err *err)
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
	if (req->notify == CONTAINER_NOTIFY && watch(&c, ret, err) < 0)
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

/* Over the connection that is there, without a look at the state; the end is told there. */
static int release(const struct container_created *c, struct sl_err *err)
{
	struct control_request req = { .type = CONTROL_START, .until_end = 1 };
	struct control_reply reply;
	size_t n_fds;

	if (control_send(c->conn_fd, &req, NULL, 0, err) < 0)
		return -1;
	return control_receive(c->conn_fd, &reply, NULL, 0, &n_fds, err);
}

int container_run(const struct runtime *rt, const struct container_create *req,
	struct container_created *ret, struct sl_err *err)
{
	const struct container_start start = { .id = req->id };
	struct container_started started;
	struct sl_err ignored;

	if (container_create(rt, req, ret, err) < 0)
		return -1;
	if (ret->stage != CONTAINER_WAITS)
		return 0;
	if ((ret->conn_fd >= 0 ? release(ret, err) : container_start(rt, &start, &started, err)) ==
		0) {
		ret->stage = CONTAINER_RUNS;
		return 0;
	}
	container_created_close(ret);
	container_delete(rt, req->id, CONTAINER_DELETE_ANY, &ignored);
	return -1;
}

void container_created_close(struct container_created *c)
{
	drop_fd(&c->master_fd);
	drop_fd(&c->notify_fd);
	drop_fd(&c->conn_fd);
}

int container_wait(
	const struct container_created *c, int timeout_ms, int *ret_status, struct sl_err *err)
{
	auto_fd int pid_fd = pidfd_open(c->pid, 0); /* our child: nobody else has its number */
	struct pollfd end = { .fd = pid_fd, .events = POLLIN };
	int n;

	if (pid_fd < 0)
		return sl_err_set(err, errno, "watch the container");
	n = poll(&end, 1, timeout_ms);
	if (n < 0 && errno != EINTR)
		return sl_err_set(err, errno, "wait for the container");
	if (n <= 0)
		return sl_err_set(err, n < 0 ? EINTR : ETIMEDOUT, "wait for the container");
	if (waitpid(c->pid, ret_status, 0) < 0)
		return sl_err_set(err, errno, "wait for the container");
	return 0;
}
