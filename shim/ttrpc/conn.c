/* SPDX-License-Identifier: Apache-2.0 */
#include "shim/ttrpc/conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

/* Bytes that are read from one peer before the loop serves the others. They are on the stack, whose
 * pages every pod pays for: the compiler fills them, and each container has a copy. */
#define READ_SIZE 4096U

static void conn_end(struct ttrpc_conn *c)
{
	ttrpc_conn_close(c);
	c->on_end(c);
}

static int conn_watch(struct ttrpc_conn *c)
{
	return loop_want(c->loop, &c->source, c->n_out ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

/* Returns 0, or -1: the peer is gone. */
static int flush(struct ttrpc_conn *c)
{
	ssize_t n;

	if (c->n_out == 0)
		return 0;
	n = send(c->fd, c->out, c->n_out, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return conn_watch(c);
	if (n < 0)
		return -1;
	c->n_out -= (size_t)n;
	memmove(c->out, c->out + n, c->n_out);
	if (c->n_out == 0) {
		free(c->out);
		c->out = NULL;
	}
	return conn_watch(c);
}

/* Returns 0, or -1: the connection has to be closed. */
static int conn_hear(struct ttrpc_conn *c, const uint8_t *bytes, size_t n)
{
	for (size_t taken; n > 0; bytes += taken, n -= taken) {
		const enum ttrpc_event e = ttrpc_frame_feed(&c->in, bytes, n, &taken);

		if (e == TTRPC_MORE)
			continue;
		if (e == TTRPC_NO_MEMORY)
			return -1;
		c->on_frame(c, &c->in, e == TTRPC_TOO_LONG);
		if (c->fd < 0)
			return 0;
		ttrpc_frame_reset(&c->in);
	}
	return 0;
}

static void conn_ready(struct loop_source *src, uint32_t events)
{
	struct ttrpc_conn *c = LOOP_OWNER(src, struct ttrpc_conn, source);
	uint8_t bytes[READ_SIZE];
	ssize_t n;

	if (events & EPOLLOUT && flush(c) < 0) {
		conn_end(c);
		return;
	}
	if (!(events & ~(uint32_t)EPOLLOUT))
		return;
	n = recv(c->fd, bytes, sizeof(bytes), MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || conn_hear(c, bytes, (size_t)n) < 0)
		conn_end(c);
}

int ttrpc_conn_open(struct ttrpc_conn *c, struct loop *loop, int fd)
{
	c->loop = loop;
	c->fd = -1;
	if (loop_add(loop, &c->source, fd, conn_ready) < 0)
		return -1;
	c->fd = fd;
	return 0;
}

void ttrpc_conn_close(struct ttrpc_conn *c)
{
	if (c->fd < 0)
		return;
	loop_remove(c->loop, &c->source);
	drop_fd(&c->fd);
	ttrpc_frame_reset(&c->in);
	free(c->out);
	c->out = NULL;
	c->n_out = 0;
}

static int conn_append(struct ttrpc_conn *c, const uint8_t *bytes, size_t n)
{
	uint8_t *bigger;

	if (c->n_out + n > TTRPC_UNSENT_MAX)
		return -1;
	bigger = realloc(c->out, c->n_out + n);
	if (!bigger)
		return -1;
	memcpy(bigger + c->n_out, bytes, n);
	c->out = bigger;
	c->n_out += n;
	return 0;
}

int ttrpc_conn_send(struct ttrpc_conn *c, uint32_t stream, uint8_t type, const void *message)
{
	const size_t n = protobuf_c_message_get_packed_size(message);
	const struct ttrpc_header header = {
		.length = (uint32_t)n, .stream = stream, .type = type
	};
	auto_free uint8_t *frame = malloc(TTRPC_HEADER + n);

	if (c->fd < 0)
		return -1;
	if (frame && n <= TTRPC_MAX) {
		ttrpc_header_write(&header, frame);
		protobuf_c_message_pack(message, frame + TTRPC_HEADER);
		if (conn_append(c, frame, TTRPC_HEADER + n) == 0 && flush(c) == 0)
			return 0;
	}
	/* The caller may still use the connection, so it is only shut down here. The loop then sees
	 * its end and closes it. */
	shutdown(c->fd, SHUT_RDWR);
	return -1;
}
