/* SPDX-License-Identifier: Apache-2.0 */
#include "shim/ttrpc/frame.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 512

static uint32_t frame_read_u32(const uint8_t *b)
{
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void write_u32(uint32_t v, uint8_t *b)
{
	b[0] = (uint8_t)(v >> 24);
	b[1] = (uint8_t)(v >> 16);
	b[2] = (uint8_t)(v >> 8);
	b[3] = (uint8_t)v;
}

void ttrpc_header_parse(const uint8_t bytes[TTRPC_HEADER], struct ttrpc_header *ret)
{
	*ret = (struct ttrpc_header){
		.length = frame_read_u32(bytes),
		.stream = frame_read_u32(bytes + 4),
		.type = bytes[8],
		.flags = bytes[9],
	};
}

void ttrpc_header_write(const struct ttrpc_header *h, uint8_t ret[TTRPC_HEADER])
{
	write_u32(h->length, ret);
	write_u32(h->stream, ret + 4);
	ret[8] = h->type;
	ret[9] = h->flags;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int frame_make_room(struct ttrpc_frame *f, size_t n)
{
	size_t size = f->size ? f->size : FIRST_SIZE;
	uint8_t *bigger;

	while (size < f->n + n)
		size *= 2;
	if (f->payload && size == f->size)
		return 0;
	bigger = realloc(f->payload, size);
	if (!bigger)
		return -1;
	f->payload = bigger;
	f->size = size;
	return 0;
}

enum ttrpc_event ttrpc_frame_feed(
	struct ttrpc_frame *f, const uint8_t *bytes, size_t n, size_t *ret_taken)
{
	const size_t head = smaller(n, TTRPC_HEADER - f->n_head);
	size_t body;

	memcpy(f->head + f->n_head, bytes, head);
	f->n_head += head;
	*ret_taken = head;
	if (f->n_head < TTRPC_HEADER)
		return TTRPC_MORE;
	ttrpc_header_parse(f->head, &f->header);
	body = smaller(n - head, f->header.length - f->n);
	if (f->header.length <= TTRPC_MAX) {
		if (frame_make_room(f, body) < 0)
			return TTRPC_NO_MEMORY;
		memcpy(f->payload + f->n, bytes + head, body);
	}
	f->n += body;
	*ret_taken += body;
	if (f->n < f->header.length)
		return TTRPC_MORE;
	return f->header.length <= TTRPC_MAX ? TTRPC_FRAME : TTRPC_TOO_LONG;
}

void ttrpc_frame_reset(struct ttrpc_frame *f)
{
	free(f->payload);
	*f = (struct ttrpc_frame){ 0 };
}
