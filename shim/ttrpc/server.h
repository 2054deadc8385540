/* SPDX-License-Identifier: Apache-2.0
 *
 * The server side of ttrpc: it serves unary calls, many at a time on several connections, and
 * answers them in any order. Each call is an object that is answered exactly once, immediately or
 * later.
 */
#ifndef SANDLOCK_SHIM_TTRPC_SERVER_H
#define SANDLOCK_SHIM_TTRPC_SERVER_H

#include "shim/ttrpc/conn.h"

/* These bound what a peer can make the shim keep; containerd uses far less. */
#define TTRPC_CONNS_MAX 64
#define TTRPC_CALLS_MAX 4096 /* unanswered calls of one connection */

/* google.rpc.Code */
enum ttrpc_code {
	TTRPC_OK = 0,
	TTRPC_UNKNOWN = 2,
	TTRPC_INVALID_ARGUMENT = 3,
	TTRPC_NOT_FOUND = 5,
	TTRPC_ALREADY_EXISTS = 6,
	TTRPC_RESOURCE_EXHAUSTED = 8,
	TTRPC_FAILED_PRECONDITION = 9,
	TTRPC_UNIMPLEMENTED = 12,
	TTRPC_INTERNAL = 13,
};

struct ttrpc_peer;

struct ttrpc_call {
	struct ttrpc_peer *peer; /* NULL: the peer is gone; the answer is dropped */
	uint32_t stream;
	struct ttrpc_call *next, **at;               /* list of the connection */
	struct ttrpc_call *next_parked, **parked_at; /* list of ttrpc_park() */
};

struct ttrpc_server {
	struct loop *loop;
	int listen_fd; /* the server closes it */
	struct loop_source source;
	struct loop_timer pause; /* set: no descriptor was left for a connection */
	struct ttrpc_peer *peers;
	size_t n_peers;
	/* The handler must answer the call, park it, or keep it until it has the answer. */
	void (*on_call)(struct ttrpc_server *s, struct ttrpc_call *call, const char *service,
		const char *method, const uint8_t *payload, size_t n);
};

/* Returns 0, or -1 with errno. */
int ttrpc_server_open(struct ttrpc_server *s, struct loop *loop, int listen_fd);
/* Stops accepting connections. */
void ttrpc_server_stop(struct ttrpc_server *s);
/* Whether there are answers that a peer has not read yet. */
bool ttrpc_server_unsent(const struct ttrpc_server *s);
void ttrpc_server_close(struct ttrpc_server *s);

/* Whether the connection on which the call came is still there. */
static inline bool ttrpc_is_heard(const struct ttrpc_call *call)
{
	return call->peer;
}

/* Each of these answers the call and frees it. */
void ttrpc_answer(struct ttrpc_call *call, const void *message);
void ttrpc_answer_bytes(struct ttrpc_call *call, const void *data, size_t n);
void ttrpc_fail(struct ttrpc_call *call, enum ttrpc_code code, const char *text);

/* Puts the call into the list until it is answered. When its peer closes the connection, the call
 * is taken out and freed. */
void ttrpc_park(struct ttrpc_call *call, struct ttrpc_call **list);

#endif
