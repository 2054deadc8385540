/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers to clients of the control socket (control.h). A client that no longer listens is no
 * error.
 */
#include "runtime/base/io.h"
#include "runtime/supervisor/internal.h"

void reply_done(int conn_fd)
{
	struct control_reply r = { .type = CONTROL_DONE };

	io_send_fds(conn_fd, &r, sizeof(r), NULL, 0);
}

void reply_failed(int conn_fd, const struct sl_err *err)
{
	struct control_reply r = { .type = CONTROL_FAILED };

	r.err = *err;
	io_send_fds(conn_fd, &r, sizeof(r), NULL, 0);
}

void reply_exited(int conn_fd, int status)
{
	struct control_reply r = { .type = CONTROL_EXITED, .status = status };

	io_send_fds(conn_fd, &r, sizeof(r), NULL, 0);
}

void reply_text(int conn_fd, const char *text)
{
	struct sl_err err;

	sl_err_set(&err, 0, "%s", text);
	reply_failed(conn_fd, &err);
}
