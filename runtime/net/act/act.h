/* SPDX-License-Identifier: Apache-2.0
 *
 * What is done for a caller, with what was read from its memory: connect, send, bind and listen, as
 * the caller where that makes a difference, and never for longer than a moment. Nothing is decided
 * here.
 */
#ifndef SANDLOCK_NET_ACT_ACT_H
#define SANDLOCK_NET_ACT_ACT_H

#include <limits.h>
#include <linux/capability.h>
#include <sys/time.h>
#include <time.h>

#include "runtime/base/brief.h"
#include "runtime/base/cleanup.h"
#include "runtime/caller/caller.h"
#include "runtime/net/act/materialise.h"

/* guard.c: ends a blocking call of our own, see net_guard(). */
struct guard {
	timer_t alarm;
	bool alarmed; /* the alarm is on: guard_tick() is to be called again and again */
	bool on;      /* its signal is let through */
	bool used;
};
int guard_open(struct guard *g);
void guard_set(struct guard *g, bool on);
/* With each tick: the alarm goes off when nothing was guarded for a while. */
void guard_tick(struct guard *g);
/* connect(2) that ends with EINTR after a moment, as after any signal. */
int guard_connect(struct guard *g, int fd, const struct mat_addr *a);
/* The same to an address of this node. */
int guard_connect_near(int fd, const struct mat_addr *a);
/* Lends a blocking socket a bound of a moment: SO_SNDTIMEO or SO_RCVTIMEO. 0, or -1 with errno. */
int guard_shorten(int fd, int option, struct timeval *ret_bound);
void guard_restore(int fd, int option, const struct timeval *bound);

/* message.c: sends what was materialised; -1 with errno. */
ssize_t send_message(int sock_fd, const struct mat_message *m);

/* walk.c: where a caller's paths begin. */
struct walk {
	int root_fd; /* -1: where ours do */
	int cwd_fd;
};
#define WALK_NONE                                                                                  \
	{                                                                                          \
		-1, -1                                                                             \
	}

/* Returns 0, or -1 with errno. It is the caller's if the call waits afterwards. */
int walk_open(int proc_fd, const struct notif_call *c, struct walk *ret);
void walk_close(struct walk *at);
#define auto_walk auto_with(walk_close)

/* openat2(2) of the caller's path. Returns a descriptor, or -1 with errno. */
int walk_to(const struct walk *at, const char *path, int flags);
/* The same with O_PATH, for a second at most (EIO), as a file system may not answer: what is in
 * memory is found at once, and everything else is looked at by a child before. */
int walk_to_now(struct brief *b, const struct walk *at, const char *path);
/* The directory that the path's last component is in; *ret_last points into the path. */
int walk_to_parent(const struct walk *at, const char *path, const char **ret_last);

/* What of a caller's rights counts for a path and a socket (path_resolution(7)). */
#define NET_PATH_CAPS (1ULL << CAP_DAC_OVERRIDE | 1ULL << CAP_DAC_READ_SEARCH)

/* What acting on unix sockets needs. */
struct unix_base {
	int proc_fd;                /* the host's /proc */
	int (*fence_sockets)(void); /* of struct net_host */
	struct brief brief;         /* who binds a path, or looks at one */
};

/* unix.c: acting as the caller, with its real user too, which is what a receiver is told. Returns
 * 0, or -1 with errno. */
int unix_begin_as(const struct notif_call *c, struct caller *who, struct act *ret);

/* unix_bind.c: bind(2) of what is no internet socket. */
void unix_bind(struct unix_base *u, const struct notif_call *c, const struct mat_socket *s,
	struct notif_verdict *v);

/* unix.c: with the caller's identity, where the kernel must not go on. */
void unix_connect(struct unix_base *u, const struct notif_call *c, const struct mat_socket *s,
	const struct mat_addr *addr, struct notif_verdict *v);
int unix_listen(const struct notif_call *c, int sock_fd, int backlog);
ssize_t unix_send(
	struct unix_base *u, const struct notif_call *c, int sock_fd, const struct mat_message *m);

#endif
