/* SPDX-License-Identifier: Apache-2.0 */
#include <poll.h>
#include <sys/pidfd.h>
#include <sys/wait.h>

#include "runtime/container/container.h"
#include "runtime/control/control.h"

/* Uses the open connection and does not read the state. The connection also gets the end of the
 * container. */
static int release_created(const struct container_created *c, struct sl_err *err)
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
	if ((ret->conn_fd >= 0 ? release_created(ret, err)
			       : container_start(rt, &start, &started, err)) == 0) {
		ret->stage = CONTAINER_RUNS;
		return 0;
	}
	container_created_close(ret);
	container_delete(rt, req->id, CONTAINER_DELETE_ANY, &ignored);
	return -1;
}

int container_wait(
	const struct container_created *c, int timeout_ms, int *ret_status, struct sl_err *err)
{
	auto_fd int pid_fd = pidfd_open(c->pid, 0); /* a child that is not reaped keeps its pid */
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
