/* SPDX-License-Identifier: Apache-2.0
 *
 * Events for containerd, in order and one at a time, over the ttrpc socket that it has named
 * (containerd.services.events.ttrpc.v1.Events, Forward). While it is away they wait, and are
 * delivered when it is back.
 */
#ifndef SANDLOCK_SHIM_EVENTS_PUBLISHER_H
#define SANDLOCK_SHIM_EVENTS_PUBLISHER_H

#include "shim/ttrpc/conn.h"

/* Of a pod whose containers start and end while nobody listens; the oldest go first. */
#define PUBLISHER_QUEUE_MAX 2048

struct published;

struct publisher {
	struct loop *loop;
	const char *address;   /* a path; NULL: nobody wants events */
	const char *namespace; /* of containerd */
	struct ttrpc_conn conn;
	struct loop_timer timer; /* of the answer, or of the next try */
	struct published *first, **last;
	size_t n;
	uint32_t stream;    /* the last one that was used */
	bool sent;          /* the first waits for its answer */
	unsigned int tries; /* in a row without one */
	unsigned long dropped;
};

void publisher_open(
	struct publisher *p, struct loop *loop, const char *address, const char *namespace);
void publisher_close(struct publisher *p);

/* type: of the message, "containerd.events.TaskExit". The time is now. */
void publisher_add(struct publisher *p, const char *topic, const char *type, const void *message);

static inline bool publisher_idle(const struct publisher *p)
{
	return p->n == 0;
}

#endif
