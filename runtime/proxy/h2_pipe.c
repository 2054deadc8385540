/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "runtime/proxy/h2.h"

int h2_pipe_put(struct h2_pipe *p, const void *data, size_t n)
{
	if (p->begin == p->end)
		p->begin = p->end = 0;
	if (p->begin > 0 && p->size - p->end < n) {
		memmove(p->data, p->data + p->begin, p->end - p->begin);
		p->end -= p->begin;
		p->begin = 0;
	}
	if (p->size - p->end < n) {
		const size_t size = p->end + n < 4096 ? 4096 : 2 * (p->end + n);
		char *bigger = realloc(p->data, size);

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

void h2_pipe_free(struct h2_pipe *p)
{
	free(p->data);
	free(p->nv);
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
	if (s && n)
		pipe_give_back(s, p, n);
	return (ssize_t)n;
}
