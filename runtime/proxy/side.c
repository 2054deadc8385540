/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/proxy/side.h"

#include <errno.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/clock.h"

static void buffer_release(struct side_buffer *b, bool secret)
{
	if (b->data && secret)
		explicit_bzero(b->data, b->end);
	free(b->data);
	*b = (struct side_buffer){ 0 };
}

int side_open(struct side *s, struct loop *l, int fd,
	void (*ready)(struct loop_source *src, uint32_t events))
{
	*s = (struct side){
		.loop = l, .fd = fd, .active_ms = clock_now_ms(), .out = s->out, .secret = s->secret
	};
	s->wanted = EPOLLIN;
	if (loop_add(l, &s->source, fd, ready) == 0)
		return 0;
	drop_fd(&s->fd);
	return -1;
}

void side_close(struct side *s)
{
	if (s->loop)
		loop_remove(s->loop, &s->source);
	SSL_free(s->ssl);
	s->ssl = NULL;
	drop_fd(&s->fd);
	s->ended = s->broken = true;
	buffer_release(&s->in, false);
	buffer_release(&s->out, s->secret);
}

/* Makes room behind the bytes of a buffer, if need be by moving them to its front. Returns the
 * number of free bytes. */
static size_t buffer_make_room(struct side_buffer *b, size_t size)
{
	if (!b->data) {
		b->data = malloc(size);
		b->begin = b->end = 0;
		return b->data ? size : 0;
	}
	if (b->begin == b->end)
		b->begin = b->end = 0;
	if (b->begin > 0 && size - b->end < size / 2) {
		memmove(b->data, b->data + b->begin, b->end - b->begin);
		b->end -= b->begin;
		b->begin = 0;
	}
	return size - b->end;
}

/* The socket says only once why it ended, here or when it is read. EPIPE: it has said so. */
static void side_break(struct side *s)
{
	if (!s->error && errno != EPIPE)
		s->error = errno;
	s->broken = true;
}

static void side_fail(struct side *s)
{
	side_break(s);
	s->ended = true;
}

/* Turns an error of a TLS call into the result of a read: 0 for the end, -1 with EAGAIN or
 * EPROTO. */
static ssize_t judge_tls(struct side *s, int rc)
{
	switch (SSL_get_error(s->ssl, rc)) {
	case SSL_ERROR_WANT_WRITE:
		s->tls_waiting = true;
		errno = EAGAIN;
		return -1;
	case SSL_ERROR_WANT_READ: errno = EAGAIN; return -1;
	case SSL_ERROR_ZERO_RETURN: return 0;
	default: errno = EPROTO; return -1;
	}
}

static ssize_t side_receive(struct side *s, char *to, size_t n)
{
	size_t got;
	int rc;

	if (!s->ssl)
		return recv(s->fd, to, n, 0);
	ERR_clear_error();
	rc = SSL_read_ex(s->ssl, to, n, &got);
	return rc > 0 ? (ssize_t)got : judge_tls(s, rc);
}

static ssize_t side_transmit(struct side *s, const char *from, size_t n)
{
	size_t put;
	int rc;

	if (!s->ssl)
		return send(s->fd, from, n, MSG_NOSIGNAL);
	ERR_clear_error();
	rc = SSL_write_ex(s->ssl, from, n, &put);
	if (rc > 0)
		return (ssize_t)put;
	return judge_tls(s, rc) < 0 ? -1 : (errno = EPIPE, -1);
}

static bool is_transient(void)
{
	return errno == EAGAIN || errno == EINTR;
}

bool side_read(struct side *s)
{
	size_t room = s->ended ? 0 : buffer_make_room(&s->in, SIDE_BUFFER);
	ssize_t r;

	if (room == 0)
		return false;
	r = side_receive(s, s->in.data + s->in.end, room);
	if (r > 0) {
		s->in.end += (size_t)r;
		s->active_ms = clock_now_ms();
		return true;
	}
	if (side_has(&s->in) == 0)
		buffer_release(&s->in, false);
	if (r == 0)
		s->ended = true;
	else if (!is_transient())
		side_fail(s);
	return s->ended;
}

void side_take(struct side *s, size_t n)
{
	s->in.begin += n;
	if (side_has(&s->in) == 0)
		buffer_release(&s->in, false);
}

void side_hang_up(struct side *s)
{
	s->broken = s->hung_up = true;
	loop_remove(s->loop, &s->source);
}

bool side_has_hidden(const struct side *s)
{
	return !s->ended && s->fd >= 0 && (s->hung_up || (s->ssl && SSL_has_pending(s->ssl) == 1));
}

char *side_room(struct side *s, size_t n)
{
	struct side_buffer *b = &s->out;

	if (s->broken || n > SIDE_OUT_BUFFER)
		return NULL;
	if (b->data && b->begin > 0 && SIDE_OUT_BUFFER - b->end < n) {
		memmove(b->data, b->data + b->begin, side_has(b));
		b->end -= b->begin;
		if (s->secret) /* the bytes that were moved are still there */
			explicit_bzero(b->data + b->end, b->begin);
		b->begin = 0;
	}
	if (!b->data)
		b->data = malloc(SIDE_OUT_BUFFER);
	return b->data && SIDE_OUT_BUFFER - b->end >= n ? b->data + b->end : NULL;
}

void side_fill(struct side *s, size_t n)
{
	s->out.end += n;
}

void side_flush(struct side *s)
{
	struct side_buffer *b = &s->out;

	while (!s->broken && side_has(b) > 0) {
		ssize_t r = side_transmit(s, b->data + b->begin, side_has(b));

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0 && errno == EAGAIN)
			return;
		if (r < 0) {
			side_break(s);
			break;
		}
		b->begin += (size_t)r;
		s->active_ms = clock_now_ms();
	}
	buffer_release(b, s->secret);
}

static int keep_unsent(struct side *s, const char *data, size_t n)
{
	char *room = n ? side_room(s, n) : NULL;

	if (n && !room)
		return s->broken ? 0 : -1;
	if (n) {
		memcpy(room, data, n);
		side_fill(s, n);
	}
	return 0;
}

/* Sends what waits in the buffer, and data behind it, with one system call. */
static size_t write_both(struct side *s, const char *data, size_t n)
{
	struct side_buffer *b = &s->out;
	struct iovec iov[2] = { { b->data ? b->data + b->begin : NULL, side_has(b) },
		{ (void *)data, n } };
	struct msghdr m = { .msg_iov = iov, .msg_iovlen = 2 };
	ssize_t r = sendmsg(s->fd, &m, MSG_NOSIGNAL);
	size_t sent;

	if (r < 0) {
		if (!is_transient())
			side_break(s);
		return 0;
	}
	s->active_ms = clock_now_ms();
	sent = (size_t)r;
	if (sent < iov[0].iov_len) {
		b->begin += sent;
		return 0;
	}
	sent -= iov[0].iov_len;
	buffer_release(b, s->secret);
	return sent;
}

int side_write(struct side *s, const void *data, size_t n)
{
	const char *at = data;
	size_t sent = 0;

	if (s->broken)
		return 0;
	if (side_has(&s->out) + n <= SIDE_SMALL)
		return keep_unsent(s, at, n);
	if (!s->ssl) {
		sent = write_both(s, at, n);
	} else {
		side_flush(s);
		if (!s->broken && side_has(&s->out) == 0) {
			ssize_t r = side_transmit(s, at, n);

			s->broken |= r < 0 && !is_transient();
			sent = r > 0 ? (size_t)r : 0;
		}
	}
	return keep_unsent(s, at + sent, n - sent);
}

void side_finish(struct side *s)
{
	if (s->broken || s->finished)
		return;
	s->finished = true;
	if (s->ssl) {
		ERR_clear_error();
		SSL_shutdown(s->ssl);
	}
	shutdown(s->fd, SHUT_WR);
}

void side_watch(struct side *s, bool input)
{
	uint32_t want = (input && !s->ended ? (uint32_t)EPOLLIN : 0) |
			(side_has(&s->out) > 0 || s->tls_waiting ? (uint32_t)EPOLLOUT : 0);

	if (s->fd < 0 || !s->source.ready || want == s->wanted)
		return;
	if (loop_want(s->loop, &s->source, want) == 0)
		s->wanted = want;
	else
		side_fail(s);
}
