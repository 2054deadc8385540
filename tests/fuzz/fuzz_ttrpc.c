/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames of ttrpc: the same bytes in pieces of any size give the same frames, which hold what was
 * sent and no more. The first byte is the size of the pieces.
 */
#include <string.h>

#include "shim/ttrpc/frame.h"
#include "tests/fuzz/fuzz.h"

static size_t count(const uint8_t *data, size_t size, size_t piece)
{
	struct ttrpc_frame f = { 0 };
	size_t frames = 0, start = 0;

	for (size_t at = 0, taken; at < size; at += taken) {
		const size_t n = size - at < piece ? size - at : piece;
		const enum ttrpc_event e = ttrpc_frame_feed(&f, data + at, n, &taken);

		MUST(taken > 0 && taken <= n);
		if (e == TTRPC_MORE) {
			MUST(taken == n);
			continue;
		}
		MUST(e == TTRPC_FRAME || e == TTRPC_TOO_LONG);
		MUST((e == TTRPC_TOO_LONG) == (f.header.length > TTRPC_MAX));
		MUST(at + taken - start == TTRPC_HEADER + (size_t)f.header.length);
		if (e == TTRPC_FRAME)
			MUST(memcmp(f.payload, data + start + TTRPC_HEADER, f.header.length) == 0);
		start = at + taken;
		frames++;
		ttrpc_frame_reset(&f);
	}
	ttrpc_frame_reset(&f);
	return frames;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	MUST(count(data + 1, size - 1, (size_t)data[0] + 1) == count(data + 1, size - 1, size));
	return 0;
}
