/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/arena.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ARENA_CHUNK ((size_t)64 * 1024)
#define ARENA_ALIGN ((size_t)16)

struct chunk {
	struct chunk *next;
	size_t size;
	size_t used;
};

struct arena {
	struct chunk *head;
	bool checked;
};

void arena_exhausted(void)
{
	static const char msg[] = "sandlock-oci: out of memory\n";

	fwrite(msg, 1, sizeof(msg) - 1, stderr);
	_exit(1);
}

static struct chunk *chunk_new(size_t payload)
{
	size_t head = (sizeof(struct chunk) + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
	size_t size = payload + head;
	struct chunk *c;

	if (size > SIZE_MAX - ARENA_CHUNK || size < payload) {
		errno = ENOMEM;
		return NULL;
	}
	size = (size + ARENA_CHUNK - 1) / ARENA_CHUNK * ARENA_CHUNK;
	c = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (c == MAP_FAILED)
		return NULL;
	c->size = size;
	c->used = head;
	return c;
}

struct arena *arena_new_checked(void)
{
	struct chunk *c = chunk_new(sizeof(struct arena));
	struct arena *a;

	if (!c)
		return NULL;
	a = (struct arena *)((char *)c + c->used);
	a->checked = true;
	c->used += (sizeof(*a) + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
	a->head = c;
	return a;
}

struct arena *arena_new(void)
{
	struct arena *a = arena_new_checked();

	if (!a)
		arena_exhausted();
	a->checked = false;
	return a;
}

/* The oldest chunk contains struct arena, so it is kept. */
void arena_clear(struct arena *a)
{
	size_t self = (sizeof(*a) + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
	struct chunk *c = a->head;

	while (c->next) {
		struct chunk *next = c->next;

		munmap(c, c->size);
		c = next;
	}
	a->head = c;
	memset((char *)a + self, 0, (size_t)((char *)c + c->used - (char *)a) - self);
	c->used = (size_t)((char *)a - (char *)c) + self;
}

void arena_free(struct arena *a)
{
	struct chunk *c = a ? a->head : NULL;

	while (c) {
		struct chunk *next = c->next;

		munmap(c, c->size);
		c = next;
	}
}

static void *no_memory(const struct arena *a)
{
	if (!a->checked)
		arena_exhausted();
	errno = ENOMEM;
	return NULL;
}

bool arena_reserve(struct arena *a, size_t size)
{
	struct chunk *c = a->head;

	if (size <= c->size - c->used)
		return true;
	c = chunk_new(size);
	if (!c)
		return no_memory(a);
	c->next = a->head;
	a->head = c;
	return true;
}

void *arena_alloc(struct arena *a, size_t size)
{
	const size_t need = (size + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
	void *p;

	if (need < size || !arena_reserve(a, need))
		return no_memory(a);
	p = (char *)a->head + a->head->used;
	a->head->used += need;
	return p;
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(n, size, &total))
		return no_memory(a);
	return arena_alloc(a, total);
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);

	if (p)
		memcpy(p, s, n);
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	int n;
	char *p;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	p = n < 0 ? no_memory(a) : arena_alloc(a, (size_t)n + 1);
	if (!p)
		return NULL;
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}
