/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/clock.h"
#include "runtime/proxy/proxy.h"

void conn_send_at_once(int fd)
{
	const int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

void conn_tell_closed(struct proxy *p, uint32_t id)
{
	const struct proxy_msg m = { .type = PROXY_CLOSED, .id = id };

	proxy_send(p, &m, offsetof(struct proxy_msg, dest), NULL);
}

void conn_drop(struct conn *c)
{
	struct proxy *p = c->p;

	if (c->stage == CONN_GONE)
		return;
	c->stage = CONN_GONE;
	if (c->end)
		c->end(c);
	side_close(&c->down);
	side_close(&c->up);
	drop_fd(&c->asked_fd);
	p->conns[c->id] = NULL;
	p->n_conns--;
	conn_tell_closed(p, c->id);
	loop_free_later(&p->loop, &c->waste, c);
}

int conn_ask(struct conn *c)
{
	struct proxy_msg m = { .type = PROXY_CONNECT, .id = c->id };

	if (c->asked)
		return c->up_failure[0] ? -1 : 0;
	c->asked = true;
	c->asked_fd = socket(
		c->where.v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->asked_fd >= 0 &&
		proxy_send(c->p, &m, offsetof(struct proxy_msg, dest), &c->asked_fd) == 0)
		return 0;
	snprintf(c->up_failure, sizeof(c->up_failure), "no socket: %s", strerror(errno));
	return -1;
}

void conn_finish(struct conn *c)
{
	side_close(&c->up);
	drop_fd(&c->asked_fd);
	c->stage = CONN_CLOSING;
	c->since_ms = clock_now_ms();
	c->moved = true; /* no further event may come, so serve_run() has to go on */
}
