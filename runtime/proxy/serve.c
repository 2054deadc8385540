/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/proxy/serve.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/clock.h"
#include "runtime/proxy/h1.h"
#include "runtime/proxy/h2.h"
#include "runtime/proxy/judge.h"
#include "runtime/proxy/tls.h"

/* How long a client may take to read an answer after which the connection is closed, and to close
 * its side. */
#define LINGER_MS 2000

/* When a socket is closed while received bytes are unread, the client may lose the answer (RFC 9112
 * section 9.6). So input is read and dropped until the client closes its side. */
static void run_closing(struct conn *c)
{
	side_flush(&c->down);
	side_take(&c->down, side_has(&c->down.in));
	if (!c->down.broken && side_has(&c->down.out) > 0)
		return;
	side_finish(&c->down);
	if (c->down.ended || c->down.broken)
		conn_drop(c);
}

/* HTTP/2 with prior knowledge begins with "PRI ", which no method is. */
static void begin_cleartext(struct conn *c)
{
	static const char preface[] = "PRI ";
	const size_t n = side_has(&c->down.in), max = sizeof(preface) - 1;

	if (n == 0 || memcmp(side_data(&c->down.in), preface, n < max ? n : max) != 0)
		h1_begin(c);
	else if (n >= max)
		h2_begin(c);
	else if (c->down.ended)
		conn_drop(c);
	else if (!c->since_ms)
		c->since_ms = clock_now_ms();
	c->moved |= c->stage != CONN_SNIFF;
}

static void serve_sniff(struct conn *c)
{
	uint8_t first;
	ssize_t r;

	if (side_has(&c->down.in) > 0) {
		side_read(&c->down);
		begin_cleartext(c);
		return;
	}
	r = recv(c->down.fd, &first, 1, MSG_PEEK);

	if (r < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (r <= 0) {
		conn_drop(c);
		return;
	}
	if (first != 0x16) {
		side_read(&c->down);
		begin_cleartext(c);
		return;
	}
	c->moved = true;
	if (c->p->tls) {
		tls_begin(c);
		return;
	}
	judge_record(c->p, NULL, "TLS, and there is no certificate authority for it");
	conn_drop(c);
}

static void serve_step(struct conn *c)
{
	switch (c->stage) {
	case CONN_SNIFF: serve_sniff(c); break;
	case CONN_HELLO:
	case CONN_OUTGOING:
	case CONN_ACCEPT: tls_run(c); break;
	case CONN_HTTP1: h1_run(c); break;
	case CONN_HTTP2: h2_run(c); break;
	case CONN_TUNNEL: h1_tunnel(c); break;
	case CONN_CLOSING: run_closing(c); break;
	case CONN_GONE: break;
	}
}

/* Returns whether the side accepts output again, so that what waits for it can go on: afterwards no
 * event may come that would say so. */
static bool flush_makes_room(struct side *s)
{
	const bool full = !side_accepts(s);

	side_flush(s);
	return full && side_accepts(s);
}

static void serve_run(struct conn *c)
{
	do {
		c->moved = false;
		serve_step(c);
		if (c->stage == CONN_GONE)
			return;
		c->moved |= flush_makes_room(&c->down);
		if (c->up.fd >= 0)
			c->moved |= flush_makes_room(&c->up);
		if (c->stage < CONN_HTTP1)
			continue;
		if (side_has_hidden(&c->down))
			c->moved |= side_read(&c->down);
		if (side_has_hidden(&c->up))
			c->moved |= side_read(&c->up);
	} while (c->moved);
	if (c->down.broken) {
		conn_drop(c);
		return;
	}
	/* During the server's handshake the client's input is not waited for, and vice versa. */
	side_watch(&c->down, c->stage != CONN_OUTGOING && side_has(&c->down.in) < SIDE_BUFFER);
	if (c->up.fd >= 0)
		side_watch(&c->up, c->stage != CONN_ACCEPT && side_has(&c->up.in) < SIDE_BUFFER);
}

static bool is_late(const struct conn *c, int64_t now)
{
	const struct plan_http *plan = c->p->plan;
	const int64_t active =
		c->down.active_ms > c->up.active_ms ? c->down.active_ms : c->up.active_ms;

	if (c->stage == CONN_CLOSING)
		return now - c->since_ms > LINGER_MS;
	if (c->since_ms && now - c->since_ms > plan->limits.handshake_ms)
		return true;
	return now - active > plan->limits.idle_ms;
}

static void on_sweep(struct loop_timer *t)
{
	struct proxy *p = LOOP_OWNER(t, struct proxy, sweep);
	const int64_t now = clock_now_ms();

	for (uint32_t id = 0; id < p->plan->limits.connections; id++)
		if (p->conns[id] && is_late(p->conns[id], now))
			conn_drop(p->conns[id]);
	if (p->n_conns > 0)
		loop_set_timer(&p->loop, t, now + 1000, on_sweep);
}

static void set_sweep(struct proxy *p)
{
	if (!p->sweep.due)
		loop_set_timer(&p->loop, &p->sweep, clock_now_ms() + 1000, on_sweep);
}

/* Handles the events of one side. Input is read once for each event; the loop reports what is left
 * again. */
static void move(struct side *s, uint32_t events)
{
	s->tls_waiting = false;
	if (events & (EPOLLHUP | EPOLLERR))
		side_hang_up(s);
	if (events & EPOLLOUT)
		side_flush(s);
}

static void on_down(struct loop_source *src, uint32_t events)
{
	struct conn *c = LOOP_OWNER(src, struct conn, down.source);

	move(&c->down, events);
	if (c->stage >= CONN_HTTP1 && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		side_read(&c->down);
	serve_run(c);
}

static void on_up(struct loop_source *src, uint32_t events)
{
	struct conn *c = LOOP_OWNER(src, struct conn, up.source);

	move(&c->up, events);
	if (c->stage >= CONN_HTTP1 && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		side_read(&c->up);
	serve_run(c);
}

void serve_open(struct proxy *p, uint32_t id, const struct proxy_dest *dest, int *fd)
{
	struct conn *c = p->conns[id] ? NULL : calloc(1, sizeof(*c));

	if (!c) {
		conn_tell_closed(p, id);
		return;
	}
	c->p = p;
	c->id = id;
	c->up.fd = c->asked_fd = -1;
	c->where.v6 = dest->v6;
	c->where.port = dest->port;
	memcpy(c->where.addr, dest->addr, sizeof(dest->addr));
	conn_send_at_once(*fd);
	if (side_open(&c->down, &p->loop, take_fd(fd), on_down) < 0) {
		free(c);
		conn_tell_closed(p, id);
		return;
	}
	p->conns[id] = c;
	p->n_conns++;
	set_sweep(p);
}

void serve_connected(struct conn *c, int error)
{
	int fd = take_fd(&c->asked_fd);

	if (fd < 0)
		return;
	if (error == 0 || error == EINPROGRESS) {
		conn_send_at_once(fd);
		if (side_open(&c->up, &c->p->loop, fd, on_up) < 0)
			error = errno;
	} else {
		close(fd);
	}
	if (error && error != EINPROGRESS)
		snprintf(c->up_failure, sizeof(c->up_failure), "connect: %s", strerror(error));
	serve_run(c);
}
