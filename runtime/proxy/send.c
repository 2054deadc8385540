/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/io.h"
#include "runtime/proxy/proxy.h"

int proxy_send(struct proxy *p, const struct proxy_msg *m, size_t len, const int *fd)
{
	return io_send_fds(p->link.fd, m, len, fd, fd ? 1 : 0);
}
