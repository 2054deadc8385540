/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that wait, and the timer with which they are looked at. How a call is tried again is a
 * callback; only connect(2), of which the kernel keeps what was begun, is known here.
 */
#ifndef SANDLOCK_NET_PARK_PARK_H
#define SANDLOCK_NET_PARK_PARK_H

#include "runtime/net/act/act.h"

struct net;
struct parked;

/* tick.c: a timer for what nothing tells of, as fast as it is needed now. */
enum tick_pace { TICK_OFF, TICK_SLOW, TICK_USUAL, TICK_FAST, TICK_PACES };
enum tick_user {
	TICK_PARKED,
	TICK_NEAR,
	TICK_GUARD, /* any pace will do */
	TICK_USERS
};
struct tick {
	int fd;
	enum tick_pace pace;
	enum tick_pace wanted[TICK_USERS];
};
int tick_open(struct tick *t, int epoll_fd); /* 0, or -1 with errno */
void tick_want(struct tick *t, enum tick_user who, enum tick_pace pace);
/* Whether one has come; it is taken. */
bool tick_take(struct tick *t);

struct park {
	struct net *net; /* for the callbacks; nothing is known of it here */
	struct guard *guard;
	struct tick *tick;
	int epoll_fd; /* which has a struct parked for each socket */
	int proc_fd;  /* the host's /proc */
	struct parked *first;
	size_t n;
	size_t n_receivers; /* of them */
	size_t n_turns;     /* of them: those that wait for their turn to bind */
	size_t n_fds;       /* of the messages among them */
	size_t n_bytes;
	size_t max;
	size_t n_ever;
	size_t n_looks;
};

/* park.c: calls that wait. Who opens it has set net, guard, tick and the descriptors. Returns 0, or
 * -1 with errno. */
int park_open(struct park *pk);
/* connect(2) on the duplicate of a blocking socket: answers at once when it can. The socket
 * is taken. */
void park_connect(struct park *pk, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, const struct mat_addr *addr);
/* sendmsg(2) that found no room, or not for all: the rest is sent by the sender, which returns -1
 * with errno EAGAIN as long as there is no room. Message and socket are taken. Returns 0, or -1
 * with errno. */
typedef ssize_t (*park_sender)(struct net *n, const struct notif_call *c,
	const struct mat_socket *s, const struct mat_message *m);
int park_send(struct park *pk, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, struct mat_message *m, park_sender send);
/* What waits for something to come: the attempt is made whenever there is something, and
 * returns false when there was nothing after all. The socket is taken. */
typedef bool (*park_attempt)(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	struct notif_verdict *v);
void park_receive(struct park *pk, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, park_attempt attempt);
/* The same for what waits for its turn: nothing tells when it comes, so it is tried again and
 * again, every millisecond. */
void park_turn(struct park *pk, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, park_attempt attempt);
/* The same for a connect that found the queue of a listener full: at the usual ticks, bounded by
 * SO_SNDTIMEO and interrupted by signals. */
void park_room(struct park *pk, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, park_attempt attempt);
/* Lets go of the sockets of callers that are gone, which would be seen with the next tick only. */
void park_drop_gone(struct park *pk);
/* Its socket is ready. */
void park_go_on(struct park *pk, struct parked *p);
/* With each tick. */
void park_look(struct park *pk);

#endif
