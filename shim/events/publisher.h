/* SPDX-License-Identifier: Apache-2.0
 *
 * Sends events to containerd, in order and one at a time, over the ttrpc socket that containerd has
 * named (containerd.services.events.ttrpc.v1.Events, Forward). While containerd is not running,
 * events wait in a queue.
 */
#ifndef SANDLOCK_SHIM_EVENTS_PUBLISHER_H
#define SANDLOCK_SHIM_EVENTS_PUBLISHER_H

#include "shim/ttrpc/conn.h"

/* Events that wait at most; beyond that the oldest are dropped. */
#define PUBLISHER_QUEUE_MAX 2048

struct published;

struct publisher {
	struct loop *loop;
	const char *address;   /* a path; NULL: no events are sent */
	const char *namespace; /* containerd's namespace */
	struct ttrpc_conn conn;
	struct loop_timer timer; /* for the answer, or for the next attempt */
	struct published *first, **last;
	size_t n;
	uint32_t stream;    /* the last stream that was used */
	bool sent;          /* the first event was sent and waits for its answer */
	unsigned int tries; /* attempts in a row without an answer */
	unsigned long dropped;
};

void publisher_open(
	struct publisher *p, struct loop *loop, const char *address, const char *namespace);
void publisher_close(struct publisher *p);

/* type: the name of the message, like "containerd.events.TaskExit". The event's time is the current
 * time. */
void publisher_add(struct publisher *p, const char *topic, const char *type, const void *message);

static inline bool publisher_idle(const struct publisher *p)
{
	return p->n == 0;
}

#endif
