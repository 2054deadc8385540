/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/control/control.h"

#include <string.h>
#include <sys/socket.h>

#include "runtime/base/cleanup.h"

/* The same as STORE_CONTROL of store.h, which this room does not include. */
#define SOCKET_NAME "control.sock"

static bool fds_fit(const struct control_request *r, size_t n_fds)
{
	size_t stdio = r->terminal ? 0 : 3;

	if (r->type != CONTROL_EXEC)
		return n_fds == 0;
	return r->n_preserve <= IO_MAX_FDS && n_fds == CONTROL_EXEC_STDIO + stdio + r->n_preserve;
}

int control_parse(
	const void *buf, size_t len, size_t n_fds, struct control_request *ret, struct sl_err *err)
{
	struct control_request r;

	if (len != sizeof(r))
		return sl_err_set(err, EPROTO, "control request of %zu bytes", len);
	memcpy(&r, buf, sizeof(r));
	if (r.magic != CONTROL_MAGIC)
		return sl_err_set(err, EPROTO, "control request of another version");
	if (r.type < CONTROL_START || r.type > CONTROL_UPDATE)
		return sl_err_set(err, EPROTO, "control request %u", r.type);
	if (r.cpu_nice < -20 || r.cpu_nice > 19 || r.cpu_idle > 1 ||
		r.cpu_quota_us > INT64_MAX / 1000000 ||
		((r.cpu_fields & CONTROL_CPU_PERIOD) && r.cpu_period_us == 0))
		return sl_err_set(err, EPROTO, "control request %u: value out of range", r.type);
	if (r.signal < 0 || r.signal > 64 || r.pid < 0 || r.terminal > 1 || r.ignore_paused > 1 ||
		r.until_end > 1)
		return sl_err_set(err, EPROTO, "control request %u: value out of range", r.type);
	if (!fds_fit(&r, n_fds))
		return sl_err_set(
			err, EPROTO, "control request %u with %zu descriptors", r.type, n_fds);
	*ret = r;
	return 0;
}

int control_connect(int dir_fd, int *ret_fd, struct sl_err *err)
{
	int fd = io_unix_connect(dir_fd, SOCKET_NAME, SOCK_SEQPACKET);

	if (fd < 0 && (errno == ECONNREFUSED || errno == ENOENT))
		return sl_err_set(err, 0, "container not running");
	if (fd < 0)
		return sl_err_set(err, errno, "reach the supervisor");
	*ret_fd = fd;
	return 0;
}

int control_send(
	int fd, struct control_request *req, const int *fds, size_t n_fds, struct sl_err *err)
{
	req->magic = CONTROL_MAGIC;
	if (io_send_fds(fd, req, sizeof(*req), fds, n_fds) < 0)
		return sl_err_set(err, errno, "ask the supervisor");
	return 0;
}

int control_receive(int fd, struct control_reply *ret, int *ret_fds, size_t max_fds,
	size_t *ret_n_fds, struct sl_err *err)
{
	ssize_t r = io_recv_fds(fd, ret, sizeof(*ret), ret_fds, max_fds, ret_n_fds);

	if (r < 0)
		return sl_err_set(err, errno, "hear from the supervisor");
	if (r != (ssize_t)sizeof(*ret))
		return sl_err_set(err, 0, "container not running (its supervisor ended)");
	if (ret->type == CONTROL_FAILED) {
		*err = ret->err;
		return -1;
	}
	return 0;
}

int control_call(
	int dir_fd, struct control_request *req, struct control_reply *ret, struct sl_err *err)
{
	auto_fd int fd = -1;
	size_t n_fds;

	if (control_connect(dir_fd, &fd, err) < 0 || control_send(fd, req, NULL, 0, err) < 0)
		return -1;
	return control_receive(fd, ret, NULL, 0, &n_fds, err);
}
