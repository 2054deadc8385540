/* SPDX-License-Identifier: Apache-2.0 */
#include "shim/events/publisher.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include "shim/proto/events.pb-c.h"
#include "shim/proto/ttrpc.pb-c.h"

#define SERVICE      "containerd.services.events.ttrpc.v1.Events"
#define ANSWER_MS    5000
#define RETRY_MS     100 /* doubled with each try */
#define RETRY_MAX_MS 5000

struct published {
	struct published *next;
	size_t n;
	uint8_t request[]; /* a ForwardRequest */
};

static void push(struct publisher *p);

static void drop_first(struct publisher *p)
{
	struct published *e = p->first;

	p->first = e->next;
	if (!p->first)
		p->last = &p->first;
	p->n--;
	free(e);
}

static void again(struct loop_timer *t)
{
	struct publisher *p = LOOP_OWNER(t, struct publisher, timer);

	ttrpc_conn_close(&p->conn);
	p->sent = false;
	push(p);
}

static void retry(struct publisher *p)
{
	const unsigned int shift = p->tries < 8 ? p->tries : 8;
	const int64_t wait = (int64_t)RETRY_MS << shift;

	p->tries++;
	loop_set_timer(p->loop, &p->timer,
		clock_now_ms() + (wait < RETRY_MAX_MS ? wait : RETRY_MAX_MS), again);
}

static void publisher_on_end(struct ttrpc_conn *c)
{
	struct publisher *p = LOOP_OWNER(c, struct publisher, conn);

	/* A connection that ends while no event is sent is no failure: containerd may restart. */
	if (p->sent)
		retry(p);
	p->sent = false;
}

/* An event that containerd has refused is not sent again: the answer would be the same. */
static void on_frame(struct ttrpc_conn *c, const struct ttrpc_frame *f, bool too_long)
{
	struct publisher *p = LOOP_OWNER(c, struct publisher, conn);

	(void)too_long;
	if (!p->sent || f->header.type != TTRPC_RESPONSE || f->header.stream != p->stream)
		return;
	loop_stop_timer(p->loop, &p->timer);
	p->sent = false;
	p->tries = 0;
	drop_first(p);
	push(p);
}

static int dial(struct publisher *p)
{
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	if (fd < 0 || strlen(p->address) >= sizeof(at.sun_path))
		return -1;
	strcpy(at.sun_path, p->address);
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) < 0 ||
		ttrpc_conn_open(&p->conn, p->loop, fd) < 0)
		return -1;
	fd = -1;
	p->stream = 1; /* the first request is stream 3 */
	return 0;
}

static void push(struct publisher *p)
{
	Ttrpc__Request r = TTRPC__REQUEST__INIT;

	if (p->sent || !p->first || p->timer.due)
		return;
	if (p->conn.fd < 0 && dial(p) < 0) {
		retry(p);
		return;
	}
	p->stream += 2;
	r.service = (char *)SERVICE;
	r.method = (char *)"Forward";
	r.payload.data = p->first->request;
	r.payload.len = p->first->n;
	r.timeout_nano = ANSWER_MS * 1000000LL;
	p->sent = true;
	loop_set_timer(p->loop, &p->timer, clock_now_ms() + ANSWER_MS, again);
	ttrpc_conn_send(&p->conn, p->stream, TTRPC_REQUEST, &r);
}

static struct published *publisher_make(
	const struct publisher *p, const char *topic, const char *type, const void *message)
{
	Events__ForwardRequest f = EVENTS__FORWARD_REQUEST__INIT;
	Events__Envelope envelope = EVENTS__ENVELOPE__INIT;
	Common__Any event = COMMON__ANY__INIT;
	auto_bytes struct proto_bytes b = { 0 };
	Common__Timestamp at;
	struct published *e;
	struct timespec now;
	size_t n;

	clock_gettime(CLOCK_REALTIME, &now);
	at = proto_time(now);
	if (proto_pack(message, &b) < 0)
		return NULL;
	event.type_url = (char *)type;
	event.value.data = b.data;
	event.value.len = b.n;
	envelope.timestamp = &at;
	envelope.namespace_ = (char *)p->namespace;
	envelope.topic = (char *)topic;
	envelope.event = &event;
	f.envelope = &envelope;
	n = events__forward_request__get_packed_size(&f);
	e = malloc(sizeof(*e) + n);
	if (!e)
		return NULL;
	e->next = NULL;
	e->n = events__forward_request__pack(&f, e->request);
	return e;
}

void publisher_add(struct publisher *p, const char *topic, const char *type, const void *message)
{
	struct published *e;

	if (!p->address)
		return;
	e = publisher_make(p, topic, type, message);
	if (!e || p->n >= PUBLISHER_QUEUE_MAX) {
		free(e);
		p->dropped++;
		return;
	}
	*p->last = e;
	p->last = &e->next;
	p->n++;
	push(p);
}

void publisher_open(
	struct publisher *p, struct loop *loop, const char *address, const char *namespace)
{
	*p = (struct publisher){
		.loop = loop,
		.address = address,
		.namespace = namespace,
		.conn = { .fd = -1, .on_frame = on_frame, .on_end = publisher_on_end },
	};
	p->last = &p->first;
}

void publisher_close(struct publisher *p)
{
	loop_stop_timer(p->loop, &p->timer);
	ttrpc_conn_close(&p->conn);
	while (p->first)
		drop_first(p);
}
