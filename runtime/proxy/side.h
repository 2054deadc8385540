/* SPDX-License-Identifier: Apache-2.0
 *
 * One side of a connection, the workload's or the server's: a non-blocking socket, with TLS or
 * without, and a buffer for each direction. A buffer is allocated only while it holds bytes, so
 * that an idle connection costs little. The size of the buffers bounds the memory of a connection.
 */
#ifndef SANDLOCK_PROXY_SIDE_H
#define SANDLOCK_PROXY_SIDE_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/loop/loop.h"

/* Size of the input buffer: a large body needs few system calls, and the longest head fits
 * (HTTP_HEAD_MAX). */
#define SIDE_BUFFER ((size_t)65536)

/* Size of the output buffer: a head and the bytes of one input buffer fit. */
#define SIDE_OUT_BUFFER (3 * SIDE_BUFFER)

/* Output of less than this size is collected and sent together. */
#define SIDE_SMALL ((size_t)16384)

struct side_buffer {
	char *data; /* NULL: the buffer is empty */
	size_t begin, end;
};

struct side {
	struct loop *loop;
	struct loop_source source;
	int fd;   /* -1: not open */
	SSL *ssl; /* NULL: cleartext */
	struct side_buffer in, out;
	uint32_t wanted;   /* events that are waited for */
	bool ended;        /* nothing more will be received */
	bool hung_up;      /* the kernel has reported the end; received bytes may be left to read */
	int error;         /* the errno with which it ended; 0: none */
	bool broken;       /* nothing can be sent any more */
	bool secret;       /* a credential was sent: the buffer is overwritten before it is freed */
	bool finished;     /* the end of the output was sent */
	bool tls_waiting;  /* TLS cannot go on before the socket can be written */
	int64_t active_ms; /* when bytes were last received or sent */
};

/* Takes the socket. s is zeroed, or has output that was written before there was a socket: that is
 * kept. Returns 0, or -1 with errno. */
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

/* Whether the bytes of one input buffer may be written. */
static inline bool side_accepts(const struct side *s)
{
	return side_has(&s->out) <= SIDE_SMALL;
}

/* Reads as much as there is room for. Returns whether bytes or the end were received. */
bool side_read(struct side *s);
/* Removes n bytes from the front of the input. */
void side_take(struct side *s, size_t n);
/* The kernel has reported a hang-up: what was received can still be read, and the loop does not
 * watch the socket any more. */
void side_hang_up(struct side *s);
/* Whether there may be input that the loop does not report: after a hang-up, or because TLS has
 * read it already. */
bool side_has_hidden(const struct side *s);

/* side_room() returns n bytes behind the output that waits, or NULL; side_fill() adds n bytes that
 * the caller has written there to the output. */
char *side_room(struct side *s, size_t n);
void side_fill(struct side *s, size_t n);
/* Sends the bytes, or keeps what cannot be sent now; n is at most SIDE_BUFFER. Returns 0, or -1:
 * there was no room. */
int side_write(struct side *s, const void *data, size_t n);
/* Sends the output that waits. */
void side_flush(struct side *s);
/* Sends the end of the output. */
void side_finish(struct side *s);

/* Tells the loop to wait for input or not, and for output if some waits. */
void side_watch(struct side *s, bool input);

#endif
