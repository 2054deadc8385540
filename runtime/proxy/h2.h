/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/proxy: HTTP/2 (RFC 9113) on both sides of a connection, by nghttp2. A stream of
 * the client is judged, and then has one of the server.
 *
 * What a side may send is bounded by the windows, which are given back only when the other side has
 * taken the bytes: so a connection needs at most H2_CONN_WINDOW for each direction.
 */
#ifndef SANDLOCK_PROXY_H2_H
#define SANDLOCK_PROXY_H2_H

#include <nghttp2/nghttp2.h>

#include "runtime/proxy/proxy.h"

/* Of one stream: what HTTP/2 begins with. */
#define H2_WINDOW      65535
#define H2_CONN_WINDOW (1 << 20)
#define H2_STREAMS     100 /* at a time, as nginx and others have it */

/* What waits to be taken by one side. */
struct h2_pipe {
	char *data;
	size_t size, begin, end;
	bool ended;     /* the other side has sent all */
	bool trailers;  /* and these come last */
	nghttp2_nv *nv; /* the trailers; one allocation with their texts */
	size_t n_nv;
};

struct h2_stream {
	struct conn *c;
	int32_t down_id, up_id; /* up_id 0: none (yet) */
	bool headed;            /* the final head of the response was passed on */
	bool answered;          /* by us */
	struct h2_pipe to_up, to_down;
	struct h2_stream *next;
};

/* A head that is being received. One at a time on each side. */
struct h2_block {
	struct http_head head;
	struct http_store store;
	struct http_h2_fields fields;
	enum http_fault fault;
	bool open;
};

struct h2 {
	nghttp2_session *down, *up;
	struct h2_block from_down, from_up;
	struct h2_stream *streams;
	bool ending; /* the client was told that no more streams are taken */
};

void h2_begin(struct conn *c);
void h2_run(struct conn *c);

/* h2_head.c: heads. The request in c->p->request was judged; the head is h2->from_down's. Each
 * returns 0, or the error of nghttp2. */
int h2_forward_request(struct h2_stream *s, const struct http_attach *attach, bool ended);
int h2_forward_response(struct h2_stream *s, bool ended);
int h2_forward_trailers(struct h2_stream *s, const struct http_head *head, struct h2_pipe *p);
int h2_answer(struct h2_stream *s, unsigned int status, const char *class, const char *text);

/* h2_pipe.c: what a session reads from. */
ssize_t h2_pipe_read(nghttp2_session *session, int32_t id, uint8_t *buf, size_t length,
	uint32_t *flags, nghttp2_data_source *source, void *user);
/* Returns 0, or -1: no memory. */
int h2_pipe_put(struct h2_pipe *p, const void *data, size_t n);
void h2_pipe_free(struct h2_pipe *p);

#endif
