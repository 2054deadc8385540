/* SPDX-License-Identifier: Apache-2.0
 *
 * Performs calls for a caller, with arguments that were copied from its memory: connect, send, bind
 * and listen. The supervisor takes the caller's identity where the identity matters. No call blocks
 * for long. Nothing is decided here.
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

/* guard.c: ends calls of the supervisor that block, see net_guard(). */
struct guard {
	timer_t alarm;
	bool alarmed; /* the alarm is on: guard_tick() must be called regularly */
	bool on;      /* the alarm's signal is unblocked */
	bool used;
};
int guard_open(struct guard *g);
void guard_set(struct guard *g, bool on);
/* To be called with each tick: stops the alarm when nothing was guarded since the last tick. */
void guard_tick(struct guard *g);
/* connect(2) that ends with EINTR after a short time, as it does after any signal. */
int guard_connect(struct guard *g, int fd, const struct mat_addr *a);
/* The same for an address of this node. */
int guard_connect_near(int fd, const struct mat_addr *a);
/* If the listener's queue is full, the kernel would complete the connection later, with the process
 * that listens on the port then. Therefore a connection that has begun is cancelled. Returns
 * whether it was; errno keeps its value. */
bool guard_take_back(const struct mat_socket *s, const struct mat_addr *addr);
/* Gives a blocking socket a timeout of a microsecond (option: SO_SNDTIMEO or SO_RCVTIMEO) until
 * guard_restore(). Returns 0, or -1 with errno. */
int guard_shorten(int fd, int option, struct timeval *ret_bound);
void guard_restore(int fd, int option, const struct timeval *bound);

/* message.c: sends a copied message. Returns -1 with errno on failure. */
ssize_t send_message(int sock_fd, const struct mat_message *m);

/* walk.c: the directories from which a caller's paths are resolved. */
struct walk {
	int root_fd; /* -1: the caller has the supervisor's root */
	int cwd_fd;
};
#define WALK_NONE                                                                                  \
	{                                                                                          \
		-1, -1                                                                             \
	}

/* Returns 0, or -1 with errno. The directories are those of the caller only if notif_waits() is
 * true afterwards. */
int walk_open(int proc_fd, const struct notif_call *c, struct walk *ret);
void walk_close(struct walk *at);
#define auto_walk auto_with(walk_close)

/* openat2(2) of the caller's path. Returns a descriptor, or -1 with errno. */
int walk_to(const struct walk *at, const char *path, int flags);
/* The same with O_PATH. It takes a second at most (then errno is EIO), because a file system may
 * not answer: a child process looks first at everything that is not in the kernel's cache. */
int walk_to_now(struct brief *b, const struct walk *at, const char *path);
/* Opens the directory that holds the path's last component. *ret_last points into the path. */
int walk_to_parent(const struct walk *at, const char *path, const char **ret_last);

/* The capabilities of a caller that matter for a path and a socket (path_resolution(7)). */
#define NET_PATH_CAPS (1ULL << CAP_DAC_OVERRIDE | 1ULL << CAP_DAC_READ_SEARCH)

/* What calls on unix sockets need. */
struct unix_base {
	int proc_fd;                /* the host's /proc */
	int (*fence_sockets)(void); /* of struct net_host */
	bool writable_only;         /* what is on a read-only mount cannot be reached: EACCES */
	struct brief brief;         /* the child that binds a path, or looks at one */
};

/* unix.c: takes the caller's identity. The real user is included, because the receiver of a message
 * is told the real user. Returns 0, or -1 with errno. */
int unix_begin_as(const struct notif_call *c, struct caller *who, struct act *ret);

/* unix_bind.c: bind(2) of a socket that is not an internet socket. */
void unix_bind(struct unix_base *u, const struct notif_call *c, const struct mat_socket *s,
	struct notif_verdict *v);

/* unix.c: calls with the caller's identity, where the kernel must not continue the call. */
void unix_connect(struct unix_base *u, const struct notif_call *c, const struct mat_socket *s,
	const struct mat_addr *addr, struct notif_verdict *v);
int unix_listen(const struct notif_call *c, int sock_fd, int backlog);
ssize_t unix_send(
	struct unix_base *u, const struct notif_call *c, int sock_fd, const struct mat_message *m);

#endif
