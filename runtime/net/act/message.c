/* SPDX-License-Identifier: Apache-2.0
 *
 * sendmsg(2) of a message that was copied from the caller.
 */
#include <sys/socket.h>

#include "runtime/net/act/act.h"

ssize_t send_message(int sock_fd, const struct mat_message *m)
{
	struct iovec iov = { m->data + m->sent, m->len - m->sent };
	struct msghdr h = {
		.msg_name = m->name.given ? (void *)&m->name.addr : NULL,
		.msg_namelen = m->name.len,
		.msg_iov = &iov,
		.msg_iovlen = 1,
		/* the control data was sent with the first part */
		.msg_control = m->sent > 0 ? NULL : m->control,
		.msg_controllen = m->sent > 0 ? 0 : m->control_len,
	};

	return sendmsg(sock_fd, &h, m->flags | MSG_DONTWAIT | MSG_NOSIGNAL);
}
