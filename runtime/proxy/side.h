/* SPDX-License-Identifier: Apache-2.0
 *
 * One end of a connection that the proxy holds: a non-blocking socket, with TLS on it or without,
 * and a buffer for each direction. A buffer is there only while something is in it, so that an idle
 * connection costs little; its size is the bound on what one connection can make the proxy hold.
 */
#ifndef SANDLOCK_PROXY_SIDE_H
#define SANDLOCK_PROXY_SIDE_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/loop/loop.h"

/* What is read at once: enough that a large body costs few system calls, and room for the longest
 * head (HTTP_HEAD_MAX). */
#define SIDE_BUFFER ((size_t)65536)

/* A written head and what was read at once fit behind each other. */
#define SIDE_OUT_BUFFER (3 * SIDE_BUFFER)

/* Less than this is put behind what is there and goes out with it. */
#define SIDE_SMALL ((size_t)16384)

struct side_buffer {
	char *data; /* NULL: nothing is in it */
	size_t begin, end;
};

struct side {
	struct loop *loop;
	struct loop_source source;
	int fd;   /* -1: not there (any more) */
	SSL *ssl; /* NULL: cleartext */
	struct side_buffer in, out;
	uint32_t wanted;   /* events that are waited for */
	bool ended;        /* nothing more comes from there */
	bool hung_up;      /* the kernel has said so, and has what is left to be read */
	int error;         /* of the system, with which it ended; 0: none */
	bool broken;       /* neither does anything go there */
	bool secret;       /* a credential went there: what was sent is overwritten */
	bool finished;     /* we have said that nothing more comes from here */
	bool tls_waiting;  /* TLS cannot go on before the socket can be written */
	int64_t active_ms; /* when something moved last */
};

/* Takes the socket. Returns 0, or -1 with errno. */
int side_open(struct side *s, struct loop *l, int fd,
	void (*ready)(struct loop_source *src, uint32_t events));
void side_close(struct side *s);

static inline size_t side_has(const struct side_buffer *b)
{
	return b->end - b->begin;
}

static inline const char *side_data(const struct side_buffer *b)
{
	return b->data ? b->data + b->begin : "";
}

/* Whether as much as is read at once may be written. */
static inline bool side_accepts(const struct side *s)
{
	return side_has(&s->out) <= SIDE_SMALL;
}

/* Reads what is there, as far as there is room. Returns whether anything came, or the end did. */
bool side_read(struct side *s);
/* Takes bytes off the front of what was read. */
void side_take(struct side *s, size_t n);
/* Both directions are closed there: what is left is read, and nothing is told any more. */
void side_hang_up(struct side *s);
/* There is something that the kernel does not tell of. */
bool side_has_hidden(const struct side *s);

/* Room of that size behind what waits to be sent, and that n bytes of it were filled. NULL: there
 * is none. */
char *side_room(struct side *s, size_t n);
void side_fill(struct side *s, size_t n);
/* Sends, or keeps what cannot be sent now: at most SIDE_BUFFER at once. Returns 0, or -1 when that
 * was too much. */
int side_write(struct side *s, const void *data, size_t n);
/* Sends what waits. */
void side_flush(struct side *s);
/* Says that nothing more comes from here. */
void side_finish(struct side *s);

/* Waits for input or not, and for room for output where something waits. */
void side_watch(struct side *s, bool input);

#endif
