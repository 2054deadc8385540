/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes of a server, in pieces whose size the first byte says: what the reader gives lies within
 * them, and a head that is written is read again.
 */
#include "runtime/http/reader.h"
#include "runtime/http/write.h"
#include "tests/fuzz/fuzz.h"

static struct http_head head, head2;
static char out[HTTP_HEAD_MAX + HTTP_WRITE_EXTRA];

static void check_forwarded(void)
{
	struct http_reader r;
	struct http_piece p;
	size_t n = http_write_response(out, sizeof(out), &head, head.framing, !head.keep_alive);

	MUST(n > 0);
	http_reader_init(&r, HTTP_RESPONSES, &(struct http_limits){ HTTP_HEAD_MAX, 128 });
	http_reader_expect(&r, head.framing == HTTP_BODY_NONE);
	MUST(http_reader_next(&r, out, n, 0, &head2, &p) == HTTP_GOT_HEAD && p.used == n);
	MUST(head2.status == head.status && head2.framing == head.framing);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t step = size ? 1 + data[0] : 1;
	const char *s = (const char *)data + 1;
	struct http_reader r;
	bool open = size > 0;

	http_reader_init(&r, HTTP_RESPONSES, &(struct http_limits){ 4096, 32 });
	http_reader_expect(&r, step % 8 == 0);
	for (size_t at = 0, have = 0, n = size ? size - 1 : 0; open && at < n;) {
		struct http_piece p;
		enum http_event e;

		have = n - at < have + step ? n - at : have + step;
		e = http_reader_next(&r, s + at, have, step, &head, &p);
		MUST(p.used <= have && p.body.n <= step);
		if (e == HTTP_GOT_HEAD)
			check_forwarded();
		open = e != HTTP_GOT_FAULT;
		open &= e != HTTP_NEED_MORE || p.used > 0 || have < n - at;
		at += p.used;
		have -= p.used;
	}
	return 0;
}
