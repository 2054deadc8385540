/* SPDX-License-Identifier: Apache-2.0 */
#include "shim/stdio/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* A quarter of what a pipe holds by default. It is on the stack; see READ_SIZE of ttrpc/conn.c. */
#define COPY_SIZE (16U << 10)

static void readable(struct loop_source *src, uint32_t events);
static void writable(struct loop_source *src, uint32_t events);

static void stream_finish(struct stream *s)
{
	stream_stop(s);
	s->on_end(s);
}

static bool would_wait(void)
{
	return errno == EAGAIN || errno == EINTR;
}

static int stream_wait_for(struct stream *s, int fd, uint32_t events,
	void (*ready)(struct loop_source *src, uint32_t events))
{
	loop_remove(s->loop, &s->source);
	if (loop_add(s->loop, &s->source, fd, ready) < 0)
		return -1;
	return loop_want(s->loop, &s->source, events);
}

static int keep_rest(struct stream *s, const char *bytes, size_t n)
{
	s->rest = malloc(n);
	if (!s->rest)
		return -1;
	memcpy(s->rest, bytes, n);
	s->n_rest = n;
	return stream_wait_for(s, s->to_fd, EPOLLOUT, writable);
}

static void readable(struct loop_source *src, uint32_t events)
{
	struct stream *s = LOOP_OWNER(src, struct stream, source);
	char bytes[COPY_SIZE];
	const ssize_t n = read(s->from_fd, bytes, sizeof(bytes));
	ssize_t done;

	(void)events;
	if (n < 0 && would_wait())
		return;
	if (n <= 0) { /* EIO: the other side of a terminal is closed */
		stream_finish(s);
		return;
	}
	done = write(s->to_fd, bytes, (size_t)n);
	if (done < 0 && would_wait())
		done = 0;
	if (done < 0 || (done < n && keep_rest(s, bytes + done, (size_t)(n - done)) < 0))
		stream_finish(s);
}

static void writable(struct loop_source *src, uint32_t events)
{
	struct stream *s = LOOP_OWNER(src, struct stream, source);
	const ssize_t n = write(s->to_fd, s->rest, s->n_rest);

	(void)events;
	if (n < 0 && would_wait())
		return;
	if (n < 0) {
		stream_finish(s);
		return;
	}
	s->n_rest -= (size_t)n;
	memmove(s->rest, s->rest + n, s->n_rest);
	if (s->n_rest > 0)
		return;
	free(s->rest);
	s->rest = NULL;
	if (stream_wait_for(s, s->from_fd, EPOLLIN, readable) < 0)
		stream_finish(s);
}

int stream_start(struct stream *s, struct loop *loop, int from_fd, int to_fd)
{
	s->loop = loop;
	s->from_fd = from_fd;
	s->to_fd = to_fd;
	return loop_add(loop, &s->source, from_fd, readable);
}

void stream_stop(struct stream *s)
{
	if (!s->loop)
		return;
	loop_remove(s->loop, &s->source);
	free(s->rest);
	s->rest = NULL;
	s->n_rest = 0;
}
