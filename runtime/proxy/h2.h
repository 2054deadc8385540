/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/proxy: HTTP/2 (RFC 9113) on both sides of a connection, by nghttp2. Each stream of
 * the client is judged, and then gets a stream to the server.
 *
 * Flow-control windows bound what a side may send. A window is given back only when the other side
 * has taken the bytes, so a connection buffers at most H2_CONN_WINDOW in each direction.
 */
#ifndef SANDLOCK_PROXY_H2_H
#define SANDLOCK_PROXY_H2_H

#include <nghttp2/nghttp2.h>

#include "runtime/proxy/proxy.h"

/* The window of one stream, which is HTTP/2's initial value. */
#define H2_WINDOW      65535
#define H2_CONN_WINDOW (1 << 20)

/* A client may give up http2Resets streams in this time. */
#define H2_RESETS_MS 60000

/* Counts the memory of the sessions, streams and pipes of a connection, whatever a peer makes them
 * keep: answers that it does not read, requests that the server does not take, half of a head. */
struct h2_memory {
	size_t used, max;
	bool refused; /* the limit was reached, and the connection has to be closed */
};

/* Bytes that wait until one side takes them. */
struct h2_pipe {
	char *data;
	size_t size, begin, end;
	bool ended;     /* the other side has sent everything */
	bool trailers;  /* trailers follow the data */
	nghttp2_nv *nv; /* the trailers and their texts in one allocation */
	size_t n_nv;
};

struct h2_stream {
	struct conn *c;
	int32_t down_id, up_id; /* up_id 0: no stream to the server */
	bool headed;            /* the final head of the response was passed on */
	bool answered;          /* the proxy has answered; nothing of the server is passed on */
	struct h2_pipe to_up, to_down;
	struct h2_stream *next;
};

/* A head that is being received. Each side has one at a time. */
struct h2_block {
	struct http_head head;
	struct http_store store;
	struct http_h2_fields fields;
	enum http_fault fault;
	bool open;
};

struct h2 {
	struct h2_memory memory;
	nghttp2_session *down, *up;
	struct h2_block from_down, from_up;
	struct h2_stream *streams;
	bool ending;         /* the server's side ends: the client has to be sent GOAWAY */
	unsigned int resets; /* streams that the client has given up since resets_ms */
	int64_t resets_ms;
};

void h2_begin(struct conn *c);
void h2_run(struct conn *c);

/* h2_head.c: writes heads. h2_forward_request() takes c->p->request, which was judged, and the head
 * in h2->from_down; NGHTTP2_ERR_INVALID_ARGUMENT: it cannot be written. Each function returns 0, or
 * nghttp2's error. */
int h2_forward_request(struct h2_stream *s, const struct http_attach *attach, bool ended);
int h2_forward_response(struct h2_stream *s, bool ended);
int h2_forward_trailers(struct h2_stream *s, const struct http_head *head, struct h2_pipe *p);
int h2_answer(struct h2_stream *s, unsigned int status, const char *class, const char *text);
/* Records the fault of a request, and answers with it. req NULL: the head could not be read. */
void h2_refuse(struct h2_stream *s, const struct http_request *req, enum http_fault f);

/* h2_pipe.c: the data source of a session. */
ssize_t h2_pipe_read(nghttp2_session *session, int32_t id, uint8_t *buf, size_t length,
	uint32_t *flags, nghttp2_data_source *source, void *user);
/* Returns 0, or -1: no memory. */
int h2_pipe_put(struct h2_memory *m, struct h2_pipe *p, const void *data, size_t n);
void h2_pipe_free(struct h2_memory *m, struct h2_pipe *p);

/* h2_limits.c. h2_memory_resize() allocates when p is NULL. It returns NULL, and leaves p as it is,
 * when the limit is reached or there is no memory. */
void *h2_memory_resize(struct h2_memory *m, void *p, size_t n);
void h2_memory_free(struct h2_memory *m, void *p);
nghttp2_mem h2_memory_of_session(struct h2_memory *m);
/* Counts a stream that the client has given up before its answer was complete. */
void h2_count_reset(struct h2 *h);
/* Returns which limit the connection has exceeded, or NULL. */
const char *h2_why_over(const struct conn *c);

#endif
