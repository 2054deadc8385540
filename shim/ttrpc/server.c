/* SPDX-License-Identifier: Apache-2.0 */
#include "shim/ttrpc/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shim/proto/ttrpc.pb-c.h"

/* Between two tries of accept4(2), after one that failed for want of descriptors or of memory: the
 * connection stays in the queue, so that the socket is ready all the time. */
#define ACCEPT_PAUSE_MS 100

struct ttrpc_peer {
	struct ttrpc_conn conn;
	struct ttrpc_server *server;
	struct ttrpc_call *calls;
	size_t n_calls;
	struct ttrpc_peer *next, **at;
	struct loop_waste waste;
};

static void leave_parking(struct ttrpc_call *call)
{
	if (!call->parked_at)
		return;
	*call->parked_at = call->next_parked;
	if (call->next_parked)
		call->next_parked->parked_at = call->parked_at;
	call->parked_at = NULL;
}

static void forget_call(struct ttrpc_call *call)
{
	if (!call->peer)
		return;
	*call->at = call->next;
	if (call->next)
		call->next->at = call->at;
	call->peer->n_calls--;
	call->peer = NULL;
}

static void end_peer(struct ttrpc_conn *c)
{
	struct ttrpc_peer *p = LOOP_OWNER(c, struct ttrpc_peer, conn);

	while (p->calls) {
		struct ttrpc_call *call = p->calls;

		forget_call(call);
		if (call->parked_at) {
			leave_parking(call);
			free(call);
		}
	}
	*p->at = p->next;
	if (p->next)
		p->next->at = p->at;
	p->server->n_peers--;
	loop_free_later(p->server->loop, &p->waste, p);
}

static void respond(struct ttrpc_call *call, const Ttrpc__Response *r)
{
	struct ttrpc_peer *p = call->peer;

	leave_parking(call);
	forget_call(call);
	if (p)
		ttrpc_conn_send(&p->conn, call->stream, TTRPC_RESPONSE, r);
	free(call);
}

void ttrpc_answer_bytes(struct ttrpc_call *call, const void *data, size_t n)
{
	Ttrpc__Response r = TTRPC__RESPONSE__INIT;

	r.payload.data = (uint8_t *)data;
	r.payload.len = n;
	respond(call, &r);
}

void ttrpc_answer(struct ttrpc_call *call, const void *message)
{
	auto_bytes struct proto_bytes b = { 0 };

	if (proto_pack(message, &b) < 0)
		ttrpc_fail(call, TTRPC_RESOURCE_EXHAUSTED, "no memory for the answer");
	else
		ttrpc_answer_bytes(call, b.data, b.n);
}

void ttrpc_fail(struct ttrpc_call *call, enum ttrpc_code code, const char *text)
{
	Ttrpc__Response r = TTRPC__RESPONSE__INIT;
	Ttrpc__Status s = TTRPC__STATUS__INIT;

	s.code = (int32_t)code;
	s.message = (char *)text;
	r.status = &s;
	respond(call, &r);
}

void ttrpc_park(struct ttrpc_call *call, struct ttrpc_call **list)
{
	call->next_parked = *list;
	if (*list)
		(*list)->parked_at = &call->next_parked;
	call->parked_at = list;
	*list = call;
}

static struct ttrpc_call *new_call(struct ttrpc_peer *p, uint32_t stream)
{
	struct ttrpc_call *call = calloc(1, sizeof(*call));

	if (!call)
		return NULL;
	call->peer = p;
	call->stream = stream;
	call->at = &p->calls;
	call->next = p->calls;
	if (p->calls)
		p->calls->at = &call->next;
	p->calls = call;
	p->n_calls++;
	return call;
}

static void server_dispatch(
	struct ttrpc_peer *p, struct ttrpc_call *call, const struct ttrpc_frame *f)
{
	Ttrpc__Request *r = proto_unpack(&ttrpc__request__descriptor, f->payload, f->n);

	if (!r)
		ttrpc_fail(call, TTRPC_INVALID_ARGUMENT, "the request is no message");
	else
		p->server->on_call(
			p->server, call, r->service, r->method, r->payload.data, r->payload.len);
	proto_free(r);
}

static void take_frame(struct ttrpc_conn *c, const struct ttrpc_frame *f, bool too_long)
{
	struct ttrpc_peer *p = LOOP_OWNER(c, struct ttrpc_peer, conn);
	struct ttrpc_call *call;

	/* Frames of other types belong to streams, which this server does not offer. */
	if (f->header.type != TTRPC_REQUEST)
		return;
	call = new_call(p, f->header.stream);
	if (!call)
		shutdown(c->fd, SHUT_RDWR);
	else if (too_long)
		ttrpc_fail(call, TTRPC_RESOURCE_EXHAUSTED, "the message is longer than 4 MiB");
	else if (f->header.stream % 2 == 0)
		ttrpc_fail(call, TTRPC_INVALID_ARGUMENT, "the number of a client's stream is odd");
	else if (p->n_calls > TTRPC_CALLS_MAX)
		ttrpc_fail(call, TTRPC_RESOURCE_EXHAUSTED, "too many calls wait for an answer");
	else
		server_dispatch(p, call, f);
}

static bool is_owner(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 &&
	       (peer.uid == geteuid() || peer.uid == 0);
}

static void take_peer(struct ttrpc_server *s, int *fd)
{
	struct ttrpc_peer *p = calloc(1, sizeof(*p));

	if (!p)
		return;
	p->conn.on_frame = take_frame;
	p->conn.on_end = end_peer;
	p->server = s;
	if (ttrpc_conn_open(&p->conn, s->loop, *fd) < 0) {
		free(p);
		return;
	}
	*fd = -1;
	p->at = &s->peers;
	p->next = s->peers;
	if (s->peers)
		s->peers->at = &p->next;
	s->peers = p;
	s->n_peers++;
}

static void accept_peer(struct loop_source *src, uint32_t events);

static void accept_again(struct loop_timer *t)
{
	struct ttrpc_server *s = LOOP_OWNER(t, struct ttrpc_server, pause);

	if (loop_add(s->loop, &s->source, s->listen_fd, accept_peer) < 0)
		loop_set_timer(s->loop, t, clock_now_ms() + ACCEPT_PAUSE_MS, accept_again);
}

static void accept_later(struct ttrpc_server *s)
{
	loop_remove(s->loop, &s->source);
	loop_set_timer(s->loop, &s->pause, clock_now_ms() + ACCEPT_PAUSE_MS, accept_again);
}

static void accept_peer(struct loop_source *src, uint32_t events)
{
	struct ttrpc_server *s = LOOP_OWNER(src, struct ttrpc_server, source);
	auto_fd int fd = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)events;
	if (fd < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
		accept_later(s);
	else if (fd >= 0 && s->n_peers < TTRPC_CONNS_MAX && is_owner(fd))
		take_peer(s, &fd);
}

int ttrpc_server_open(struct ttrpc_server *s, struct loop *loop, int listen_fd)
{
	s->loop = loop;
	s->listen_fd = listen_fd;
	return loop_add(loop, &s->source, listen_fd, accept_peer);
}

void ttrpc_server_stop(struct ttrpc_server *s)
{
	loop_stop_timer(s->loop, &s->pause);
	loop_remove(s->loop, &s->source);
	drop_fd(&s->listen_fd);
}

bool ttrpc_server_unsent(const struct ttrpc_server *s)
{
	for (const struct ttrpc_peer *p = s->peers; p; p = p->next)
		if (p->conn.n_out)
			return true;
	return false;
}

void ttrpc_server_close(struct ttrpc_server *s)
{
	ttrpc_server_stop(s);
	while (s->peers) {
		struct ttrpc_peer *p = s->peers;

		ttrpc_conn_close(&p->conn);
		end_peer(&p->conn);
	}
}
