/* SPDX-License-Identifier: Apache-2.0 */
#include <poll.h>

#include "runtime/container/internal.h"

/* The supervisor ends within milliseconds after its processes. */
#define SUPERVISOR_MS 3000

static int read_exit(const struct container *c, int *ret_status, struct sl_err *err)
{
	struct control_stats left;

	if (container_read_left(c, &left, err) < 0 || !left.ended)
		return sl_err_set(err, 0, "nothing tells how it ended: its supervisor was killed");
	*ret_status = left.status;
	return 0;
}

static int await_exited(int conn_fd, int timeout_ms, struct control_reply *ret, struct sl_err *err)
{
	struct pollfd end = { .fd = conn_fd, .events = POLLIN };
	int n = poll(&end, 1, timeout_ms);
	size_t n_fds;

	if (n <= 0)
		return sl_err_set(err, n < 0 ? errno : ETIMEDOUT, "wait for the container");
	return control_receive(conn_fd, ret, NULL, 0, &n_fds, err);
}

int container_wait_end(
	const struct container *c, int timeout_ms, int *ret_status, struct sl_err *err)
{
	struct control_request req = { .type = CONTROL_WAIT };
	struct control_reply reply;
	auto_fd int fd = -1;

	if (c->status == RECORD_STOPPED)
		return read_exit(c, ret_status, err);
	if (control_connect(c->dir_fd, &fd, err) < 0 || control_send(fd, &req, NULL, 0, err) < 0) {
		/* The supervisor is just ending. */
		return proc_wait_end(c->proc_fd, &c->record.supervisor, SUPERVISOR_MS)
			       ? read_exit(c, ret_status, err)
			       : -1;
	}
	if (await_exited(fd, timeout_ms, &reply, err) < 0)
		return -1;
	if (reply.type != CONTROL_EXITED)
		return sl_err_set(err, EPROTO, "wait: the supervisor said %u", reply.type);
	/* The supervisor has ended when this returns, so that a `delete` afterwards finds the
	 * container stopped. */
	proc_wait_end(c->proc_fd, &c->record.supervisor, SUPERVISOR_MS);
	*ret_status = reply.status;
	return 0;
}
