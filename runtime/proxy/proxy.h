/* SPDX-License-Identifier: Apache-2.0
 *
 * The HTTP proxy of one container: what its files share. A process of its own, single-threaded,
 * confined, without a right to connect or to listen anywhere (confine/proxy.h).
 *
 * Every connection of the workload has at most one on the way out, to where the workload wanted to
 * connect to, and speaks the same protocol there. When one ends, the other does: a client sees what
 * it would have seen without a proxy, and nothing is ever sent on a connection of somebody else.
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
	struct loop_timer sweep; /* while there are connections */
	const struct plan_http *plan;
	struct tls *tls; /* NULL: TLS is not looked into */
	struct secrets *secrets;
	struct conn **conns; /* by the supervisor's numbers */
	size_t n_conns;
	uint64_t audits_lost; /* the supervisor did not keep up */
	bool over;
	/* Scratch of whoever looks at a request or a response. */
	struct http_head head;
	struct http_request request;
};

enum conn_stage {
	CONN_SNIFF,    /* nothing came yet */
	CONN_HELLO,    /* TLS: the name is not known yet */
	CONN_OUTGOING, /* TLS: the server is asked first; it decides about the protocol */
	CONN_ACCEPT,   /* TLS: the client's handshake */
	CONN_HTTP1,
	CONN_HTTP2,
	CONN_TUNNEL,  /* WebSocket, after the verdict */
	CONN_CLOSING, /* what waits goes out, then it is over */
	CONN_GONE,
};

/* HTTP/1.1: one request at a time; what a client sends ahead waits in the buffer. */
struct h1 {
	struct http_reader requests, responses;
	bool in_request; /* its body is on the way */
	bool answering;  /* a response is expected or on the way */
	bool headed;     /* the head of that response was passed on */
	bool reused;     /* a request was answered there before */
	bool head_request;
	bool websocket; /* was asked for */
	bool old;       /* the client speaks HTTP/1.0 */
	bool keep_alive;
	enum http_framing out; /* of the request's body on its way out */
	enum http_framing in;  /* of the response's, to the client */
};

/* What a client's hello said. */
struct conn_hello {
	bool read;
	bool h2;               /* what the server has chosen */
	struct http_host host; /* the name, or the address that was connected to */
	unsigned char alpn[16];
	size_t alpn_len;
};

struct conn {
	struct proxy *p;
	uint32_t id;
	enum conn_stage stage;
	struct http_connection where;
	struct conn_hello hello;
	struct side down, up; /* the workload's, the server's */
	bool asked;           /* for the way out, once */
	int asked_fd;         /* until the supervisor has connected it; or -1 */
	char up_failure[160]; /* why there is no way out; "": nothing is known against it */
	int64_t since_ms;     /* of the handshake or head that is under way; 0: none */
	bool moved;
	struct h1 h1;
	struct h2 *h2;
	void (*end)(struct conn *c); /* frees what the protocol has; NULL: nothing */
	struct loop_waste waste;
};

/* conn.c. Asks for the way out; what is written to c->up until then goes out when it is there.
 * Returns 0, or -1 with c->up_failure. */
int conn_ask(struct conn *c);
/* What was written goes out, and nothing is read any more. */
void conn_finish(struct conn *c);
/* At once; its memory stays until the event is handled. */
void conn_drop(struct conn *c);
void conn_tell_closed(struct proxy *p, uint32_t id);
/* No byte waits for others to go with it. */
void conn_send_at_once(int fd);

/* send.c: to the supervisor. Returns 0, or -1 with errno. */
int proxy_send(struct proxy *p, const struct proxy_msg *m, size_t len, const int *fd);

#endif
