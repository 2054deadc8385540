/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that wait, and the timer with which they are looked at. A callback tries a call again. Only
 * connect(2) is known here, because the kernel continues a connection that was begun.
 */
#ifndef SANDLOCK_NET_PARK_PARK_H
#define SANDLOCK_NET_PARK_PARK_H

#include "runtime/net/act/act.h"

struct net;
struct parked;

/* tick.c: a timer for events that nothing reports. The fastest pace that a user wants is used. */
enum tick_pace { TICK_OFF, TICK_SLOW, TICK_USUAL, TICK_FAST, TICK_PACES };
enum tick_user {
	TICK_PARKED,
	TICK_NEAR,
	TICK_GUARD, /* the guard accepts every pace */
	TICK_USERS
};
struct tick {
	int fd;
	enum tick_pace pace;
	enum tick_pace wanted[TICK_USERS];
};
int tick_open(struct tick *t, int epoll_fd); /* 0, or -1 with errno */
void tick_want(struct tick *t, enum tick_user who, enum tick_pace pace);
/* Whether the timer has expired since the last call. */
bool tick_take(struct tick *t);

struct park {
	struct net *net; /* an argument for the callbacks; not used otherwise */
	struct guard *guard;
	struct tick *tick;
	int epoll_fd; /* its data is the struct parked of each socket */
	int proc_fd;  /* the host's /proc */
	struct parked *first;
	size_t n;
	size_t n_receivers; /* those that wait to receive */
	size_t n_turns;     /* those that wait for their turn to bind */
	size_t n_fds;       /* descriptors in the parked messages */
	size_t n_bytes;
	size_t max;
	size_t n_ever;
	size_t n_looks;
};

/* park.c: calls that wait. The caller must have set net, guard, tick and the descriptors. Returns
 * 0, or -1 with errno. */
int park_open(struct park *pk);
/* connect(2) on the duplicate of a blocking socket. Answers at once when it can. Takes ownership of
 * the socket. */
void park_connect(struct park *pk, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, const struct mat_addr *addr);
/* Parks a sendmsg(2) that found no room, or room for a part only. The callback sends the rest: it
 * returns -1 with EAGAIN as long as there is no room. Takes ownership of message and socket.
 * Returns 0, or -1 with errno. */
typedef ssize_t (*park_sender)(struct net *n, const struct notif_call *c,
	const struct mat_socket *s, const struct mat_message *m);
int park_send(struct park *pk, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, struct mat_message *m, park_sender send);
/* Parks a call that waits for data or connections. The callback is called whenever the socket
 * becomes readable, and returns false when there was nothing to receive. Takes ownership of the
 * socket. */
typedef bool (*park_attempt)(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	struct notif_verdict *v);
void park_receive(struct park *pk, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, park_attempt attempt);
/* The same for a call that waits for its turn to bind. Nothing reports the turn, so the callback is
 * called every millisecond. */
void park_turn(struct park *pk, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, park_attempt attempt);
/* The same for a connect that found the listener's queue full. The callback is called at the usual
 * ticks; SO_SNDTIMEO and signals end the wait. */
void park_room(struct park *pk, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, park_attempt attempt);
/* Closes the sockets of callers that are gone. Otherwise the next tick does it. */
void park_drop_gone(struct park *pk);
/* To be called when the socket of p is ready. */
void park_go_on(struct park *pk, struct parked *p);
/* To be called with each tick. */
void park_look(struct park *pk);

#endif
