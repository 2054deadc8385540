/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "runtime/proxy/h2.h"

/* Sizes are multiples of this. A stream's window bounds what a pipe has to hold. */
#define PIPE_STEP ((size_t)4096)

int h2_pipe_put(struct h2_memory *m, struct h2_pipe *p, const void *data, size_t n)
{
	if (p->begin == p->end)
		p->begin = p->end = 0;
	if (p->begin > 0 && p->size - p->end < n) {
		memmove(p->data, p->data + p->begin, p->end - p->begin);
		p->end -= p->begin;
		p->begin = 0;
	}
	if (p->size - p->end < n) {
		const size_t size = (p->end + n + PIPE_STEP - 1) & ~(PIPE_STEP - 1);
		char *bigger = h2_memory_resize(m, p->data, size);

		if (!bigger)
			return -1;
		p->data = bigger;
		p->size = size;
	}
	if (n)
		memcpy(p->data + p->end, data, n);
	p->end += n;
	return 0;
}

static void pipe_empty(struct h2_memory *m, struct h2_pipe *p)
{
	h2_memory_free(m, p->data);
	p->data = NULL;
	p->size = p->begin = p->end = 0;
}

void h2_pipe_free(struct h2_memory *m, struct h2_pipe *p)
{
	pipe_empty(m, p);
	h2_memory_free(m, p->nv);
	*p = (struct h2_pipe){ 0 };
}

/* Gives n bytes back to the window of the side that has sent them. */
static void pipe_give_back(struct h2_stream *s, const struct h2_pipe *p, size_t n)
{
	struct h2 *h = s->c->h2;

	if (p == &s->to_up)
		nghttp2_session_consume(h->down, s->down_id, n);
	else if (!s->answered && s->up_id > 0)
		nghttp2_session_consume(h->up, s->up_id, n);
	else if (!s->answered) /* the stream has ended on the server's side */
		nghttp2_session_consume_connection(h->up, n);
}

ssize_t h2_pipe_read(nghttp2_session *session, int32_t id, uint8_t *buf, size_t length,
	uint32_t *flags, nghttp2_data_source *source, void *user)
{
	struct h2_stream *s = nghttp2_session_get_stream_user_data(session, id);
	struct h2_pipe *p = source->ptr;
	size_t n = p->end - p->begin;

	(void)user;
	if (n == 0 && !p->ended)
		return NGHTTP2_ERR_DEFERRED;
	if (n > length)
		n = length;
	if (n)
		memcpy(buf, p->data + p->begin, n);
	p->begin += n;
	if (p->begin == p->end && p->ended) {
		*flags |= NGHTTP2_DATA_FLAG_EOF;
		if (p->trailers) {
			*flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
			nghttp2_submit_trailer(session, id, p->nv, p->n_nv);
		}
	}
	if (!s)
		return (ssize_t)n;
	if (p->begin == p->end)
		pipe_empty(&s->c->h2->memory, p);
	if (n)
		pipe_give_back(s, p, n);
	return (ssize_t)n;
}
