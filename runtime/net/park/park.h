/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that wait, and the timer with which they are looked at. How a call is tried again is a
 * callback; only connect(2), of which the kernel keeps what was begun, is known here.
 */
#ifndef SANDLOCK_NET_PARK_H
#define SANDLOCK_NET_PARK_H

#include "runtime/net/act/materialise.h"
#include "runtime/net/net.h"

struct parked;

/* park.c: calls that wait. */
int park_open(struct net *n); /* 0, or -1 with errno */
/* connect(2) on the duplicate of a blocking socket: answers at once when it can. The socket
 * is taken. */
void park_connect(struct net *n, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, const struct mat_addr *addr);
/* sendmsg(2) that found no room, or not for all: the rest is sent by the sender, which returns -1
 * with errno EAGAIN as long as there is no room. Message and socket are taken. Returns 0, or -1
 * with errno. */
typedef ssize_t (*park_sender)(const struct net *n, const struct notif_call *c,
	const struct mat_socket *s, const struct mat_message *m);
int park_send(struct net *n, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, struct mat_message *m, park_sender send);
/* What waits for something to come: the attempt is made whenever there is something, and
 * returns false when there was nothing after all. The socket is taken. */
typedef bool (*park_attempt)(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	struct notif_verdict *v);
void park_receive(struct net *n, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, park_attempt attempt);
/* The same for what waits for its turn: nothing tells when it comes, so it is tried again and
 * again, every millisecond. */
void park_turn(struct net *n, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, park_attempt attempt);
/* The same for a connect that found the queue of a listener full: at the usual ticks, bounded by
 * SO_SNDTIMEO and interrupted by signals. */
void park_room(struct net *n, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, park_attempt attempt);
/* Lets go of the sockets of callers that are gone, which would be seen with the next tick only. */
void park_drop_gone(struct net *n);
/* Its socket is ready. */
void park_go_on(struct net *n, struct parked *p);
/* With each tick. */
void park_look(struct net *n);

/* tick.c: a timer for what nothing tells of. */
int tick_open(struct net *n); /* 0, or -1 with errno */
/* As often as it is needed now. */
void tick_set(struct net *n);
/* Whether one has come; it is taken. */
bool tick_take(struct net *n);

#endif
