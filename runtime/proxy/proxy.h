/* SPDX-License-Identifier: Apache-2.0
 *
 * The HTTP proxy of one container: what its files share. The proxy is a confined process with one
 * thread, which cannot connect or listen (confine/proxy.h).
 *
 * For every connection of the workload there is at most one to the server, at the address to which
 * the workload wanted to connect and with the same protocol. When one of the two ends, the other is
 * closed. So a client sees what it would see without a proxy, and connections to servers are never
 * shared.
 *
 * Failure regime: what cannot be understood is refused; a connection that cannot go on is closed.
 */
#ifndef SANDLOCK_PROXY_PROXY_H
#define SANDLOCK_PROXY_PROXY_H

#include "runtime/http/reader.h"
#include "runtime/http/rules.h"
#include "runtime/http/write.h"
#include "runtime/plan/http.h"
#include "runtime/proxy/proto.h"
#include "runtime/proxy/secrets.h"
#include "runtime/proxy/side.h"

struct conn;
struct tls;

struct proxy {
	struct loop loop;
	struct loop_source link; /* to the supervisor */
	struct loop_timer sweep; /* runs while there are connections */
	const struct plan_http *plan;
	struct tls *tls; /* NULL: there is no CA, and TLS is refused */
	struct secrets *secrets;
	struct conn **conns; /* indexed by the numbers that the supervisor gives */
	size_t n_conns;
	uint64_t audits_lost; /* audit messages that could not be sent */
	bool over;
	/* The head that is being handled; valid until the next one is read. */
	struct http_head head;
	struct http_request request;
};

enum conn_stage {
	CONN_SNIFF,    /* nothing has been received yet */
	CONN_HELLO,    /* TLS: the name is not known yet */
	CONN_OUTGOING, /* TLS: the handshake with the server, which chooses the protocol */
	CONN_ACCEPT,   /* TLS: the client's handshake */
	CONN_HTTP1,
	CONN_HTTP2,
	CONN_TUNNEL,  /* WebSocket, after the verdict */
	CONN_CLOSING, /* sends what is left, then closes */
	CONN_GONE,
};

/* HTTP/1.1: one request at a time. Pipelined requests wait in the buffer. */
struct h1 {
	struct http_reader requests, responses;
	bool in_request; /* the body of a request is being passed on */
	bool answering;  /* a response is expected or being passed on */
	bool headed;     /* the head of that response was passed on */
	bool reused;     /* a request was answered on this connection before */
	bool head_request;
	bool websocket; /* the request asks for an upgrade to WebSocket */
	bool old;       /* the client speaks HTTP/1.0 */
	bool keep_alive;
	enum http_framing out; /* framing of the request's body to the server */
	enum http_framing in;  /* framing of the response's body to the client */
};

/* What the client's TLS hello contains. */
struct conn_hello {
	bool read;
	bool h2;               /* the server has chosen HTTP/2 */
	struct http_host host; /* the server name, or else the address */
	unsigned char alpn[16];
	size_t alpn_len;
};

struct conn {
	struct proxy *p;
	uint32_t id;
	enum conn_stage stage;
	struct http_connection where;
	struct conn_hello hello;
	struct side down, up; /* the workload's side, the server's side */
	bool asked;           /* the supervisor was asked for a connection to the server */
	int asked_fd;         /* the socket, until the supervisor has connected it; or -1 */
	char up_failure[160]; /* why there is no connection to the server; "": no failure */
	int64_t since_ms;     /* start of the current handshake or head; 0: none */
	bool moved;
	struct h1 h1;
	struct h2 *h2;
	void (*end)(struct conn *c); /* frees the state of the protocol; may be NULL */
	struct loop_waste waste;
};

/* conn.c. Asks the supervisor for a connection to the server. What is written to c->up before it
 * exists is sent as soon as it does. Returns 0, or -1 with c->up_failure. */
int conn_ask(struct conn *c);
/* Sends what was written, reads no more requests, and closes. */
void conn_finish(struct conn *c);
/* Closes at once. The memory is freed after the current event. */
void conn_drop(struct conn *c);
void conn_tell_closed(struct proxy *p, uint32_t id);
/* Sets TCP_NODELAY. */
void conn_send_at_once(int fd);

/* send.c: sends a message to the supervisor. Returns 0, or -1 with errno. */
int proxy_send(struct proxy *p, const struct proxy_msg *m, size_t len, const int *fd);

#endif
