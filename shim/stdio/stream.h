/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies bytes from one descriptor to another without waiting. While the receiver does not take
 * them, nothing more is read.
 */
#ifndef SANDLOCK_SHIM_STDIO_STREAM_H
#define SANDLOCK_SHIM_STDIO_STREAM_H

#include <stdbool.h>

#include "runtime/loop/loop.h"

struct stream {
	struct loop *loop;
	struct loop_source source; /* of the descriptor that is waited for */
	int from_fd, to_fd;        /* owned by the caller, non-blocking */
	char *rest;                /* what the receiver has not taken yet */
	size_t n_rest;
	/* Called by the loop when everything was copied or the receiver is gone. */
	void (*on_end)(struct stream *s);
};

/* Returns 0, or -1 with errno. */
int stream_start(struct stream *s, struct loop *loop, int from_fd, int to_fd);
void stream_stop(struct stream *s);

#endif
