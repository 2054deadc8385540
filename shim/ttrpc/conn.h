/* SPDX-License-Identifier: Apache-2.0
 *
 * One connection that reads and writes frames and never waits. Its owner embeds it.
 */
#ifndef SANDLOCK_SHIM_TTRPC_CONN_H
#define SANDLOCK_SHIM_TTRPC_CONN_H

#include "runtime/loop/loop.h"
#include "shim/proto/proto.h"
#include "shim/ttrpc/frame.h"

/* The most bytes that are kept for a peer that does not read them. */
#define TTRPC_UNSENT_MAX (8UL << 20)

struct ttrpc_conn {
	struct loop *loop;
	struct loop_source source;
	int fd; /* -1: closed */
	struct ttrpc_frame in;
	uint8_t *out; /* bytes that could not be sent yet */
	size_t n_out;
	/* A complete frame has arrived; too_long: its payload was discarded. */
	void (*on_frame)(struct ttrpc_conn *c, const struct ttrpc_frame *f, bool too_long);
	/* The peer is gone or broke the protocol. The connection is closed already. */
	void (*on_end)(struct ttrpc_conn *c);
};

/* Takes fd, a non-blocking socket. Returns 0, or -1 with errno; fd is then the caller's. */
int ttrpc_conn_open(struct ttrpc_conn *c, struct loop *loop, int fd);
void ttrpc_conn_close(struct ttrpc_conn *c);

/* Returns 0, or -1: the peer is gone or does not read; on_end() follows from the loop. */
int ttrpc_conn_send(struct ttrpc_conn *c, uint32_t stream, uint8_t type, const void *message);

#endif
