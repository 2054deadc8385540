/* SPDX-License-Identifier: Apache-2.0 */
#include <malloc.h>
#include <stdlib.h>

#include "runtime/base/clock.h"
#include "runtime/proxy/h2.h"

/* The last allocation that is granted may pass the limit, by its own size. */
static bool memory_is_full(struct h2_memory *m)
{
	const bool full = m->used >= m->max;

	m->refused |= full;
	return full;
}

void *h2_memory_resize(struct h2_memory *m, void *p, size_t n)
{
	const size_t before = malloc_usable_size(p);
	void *moved = memory_is_full(m) ? NULL : realloc(p, n);

	if (moved)
		m->used += malloc_usable_size(moved) - before;
	return moved;
}

void h2_memory_free(struct h2_memory *m, void *p)
{
	m->used -= malloc_usable_size(p);
	free(p);
}

static void *memory_malloc(size_t n, void *user)
{
	return h2_memory_resize(user, NULL, n);
}

static void *memory_calloc(size_t n, size_t size, void *user)
{
	struct h2_memory *m = user;
	void *p = memory_is_full(m) ? NULL : calloc(n, size);

	m->used += malloc_usable_size(p);
	return p;
}

static void *memory_realloc(void *p, size_t n, void *user)
{
	return h2_memory_resize(user, p, n);
}

static void memory_free(void *p, void *user)
{
	h2_memory_free(user, p);
}

nghttp2_mem h2_memory_of_session(struct h2_memory *m)
{
	return (nghttp2_mem){ m, memory_malloc, memory_free, memory_calloc, memory_realloc };
}

void h2_count_reset(struct h2 *h)
{
	const int64_t now = clock_now_ms();

	if (now - h->resets_ms > H2_RESETS_MS) {
		h->resets = 0;
		h->resets_ms = now;
	}
	h->resets++;
}

const char *h2_why_over(const struct conn *c)
{
	if (c->h2->memory.refused)
		return "HTTP/2: the connection needs more memory than http2Bytes";
	if (c->h2->resets > c->p->plan->limits.http2_resets)
		return "HTTP/2: the client has given up more streams than http2Resets";
	return NULL;
}
