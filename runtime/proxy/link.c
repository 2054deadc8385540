/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/proxy/link.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/proxy/serve.h"

static void on_link(struct loop_source *src, uint32_t events)
{
	struct proxy *p = LOOP_OWNER(src, struct proxy, link);
	struct proxy_msg m;
	int fd = -1;
	auto_fd int owned = -1;
	size_t n_fds = 0;
	ssize_t r = io_recv_fds(src->fd, &m, sizeof(m), &fd, 1, &n_fds);

	(void)events;
	owned = n_fds ? fd : -1;
	if (r < 0 && (errno == EAGAIN || errno == EMSGSIZE))
		return;
	if (r < (ssize_t)offsetof(struct proxy_msg, dest)) {
		p->over = true;
		return;
	}
	if (m.id >= p->plan->limits.connections)
		return;
	if (m.type == PROXY_OPEN && owned >= 0)
		serve_open(p, m.id, &m.dest, &owned);
	else if (m.type == PROXY_CONNECTED && p->conns[m.id])
		serve_connected(p->conns[m.id], m.error);
}

int link_open(struct proxy *p, struct sl_err *err)
{
	const struct timeval bound = { .tv_sec = 5 };

	/* Sending waits until the supervisor, which always reads, has made room. */
	if (fcntl(PROXY_LINK_FD, F_SETFL, 0) < 0 ||
		setsockopt(PROXY_LINK_FD, SOL_SOCKET, SO_SNDTIMEO, &bound, sizeof(bound)) < 0 ||
		loop_add(&p->loop, &p->link, PROXY_LINK_FD, on_link) < 0)
		return sl_err_set(err, errno, "watch the supervisor");
	return 0;
}
