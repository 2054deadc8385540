/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames of ttrpc (github.com/containerd/ttrpc, PROTOCOL.md): four bytes of length and four of the
 * stream, both big-endian, one of the type, one of flags, then the payload. These functions do no
 * input or output.
 */
#ifndef SANDLOCK_SHIM_TTRPC_FRAME_H
#define SANDLOCK_SHIM_TTRPC_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define TTRPC_HEADER   10
#define TTRPC_MAX      (4U << 20) /* of a payload; a longer one is discarded */
#define TTRPC_REQUEST  1
#define TTRPC_RESPONSE 2

struct ttrpc_header {
	uint32_t length;
	uint32_t stream;
	uint8_t type;
	uint8_t flags;
};

void ttrpc_header_parse(const uint8_t bytes[TTRPC_HEADER], struct ttrpc_header *ret);
void ttrpc_header_write(const struct ttrpc_header *h, uint8_t ret[TTRPC_HEADER]);

/* A frame that is being received. A structure of zeros is ready for the first one. */
struct ttrpc_frame {
	struct ttrpc_header header; /* valid once all bytes of the header have come */
	uint8_t *payload;
	size_t n;    /* bytes of the header so far */
	size_t size; /* allocated: it grows with the bytes that come, not by the header's length */
	uint8_t head[TTRPC_HEADER];
	size_t n_head;
};

enum ttrpc_event {
	TTRPC_MORE,      /* all bytes were taken; the frame is not complete yet */
	TTRPC_FRAME,     /* the frame is complete; call ttrpc_frame_reset() before the next byte */
	TTRPC_TOO_LONG,  /* likewise, but the payload was too long and was discarded */
	TTRPC_NO_MEMORY, /* close the connection */
};

/* Takes bytes up to the end of one frame; *ret_taken says how many. */
enum ttrpc_event ttrpc_frame_feed(
	struct ttrpc_frame *f, const uint8_t *bytes, size_t n, size_t *ret_taken);
void ttrpc_frame_reset(struct ttrpc_frame *f);

#endif
