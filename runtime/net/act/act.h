/* SPDX-License-Identifier: Apache-2.0
 *
 * What is done for a caller, with what was read from its memory: connect, send, bind and listen, as
 * the caller where that makes a difference, and never for longer than a moment. Nothing is decided
 * here.
 */
#ifndef SANDLOCK_NET_ACT_H
#define SANDLOCK_NET_ACT_H

#include <limits.h>
#include <linux/capability.h>
#include <sys/time.h>

#include "runtime/base/cleanup.h"
#include "runtime/caller/caller.h"
#include "runtime/net/act/materialise.h"
#include "runtime/net/net.h"

/* guard.c; see net_guard(). tick_set() afterwards. */
int guard_open(struct net *n);
void guard_set(struct net *n, bool on);
/* With each tick: the alarm goes off when nothing was guarded for a while. */
void guard_tick(struct net *n);
/* connect(2) that ends with EINTR after a moment, as after any signal. */
int guard_connect(struct net *n, int fd, const struct mat_addr *a);
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
int walk_open(const struct net *n, const struct notif_call *c, struct walk *ret);
void walk_close(struct walk *at);
#define auto_walk auto_with(walk_close)

/* openat2(2) of the caller's path. Returns a descriptor, or -1 with errno. */
int walk_to(const struct walk *at, const char *path, int flags);
/* The directory that the path's last component is in; *ret_last points into the path. */
int walk_to_parent(const struct walk *at, const char *path, const char **ret_last);

/* What of a caller's rights counts for a path and a socket (path_resolution(7)). */
#define NET_PATH_CAPS (1ULL << CAP_DAC_OVERRIDE | 1ULL << CAP_DAC_READ_SEARCH)

/* unix.c: acting as the caller, with its real user too, which is what a receiver is told. Returns
 * 0, or -1 with errno. */
int unix_begin_as(const struct notif_call *c, struct caller *who, struct act *ret);

/* unix_bind.c: bind(2) of what is no internet socket. */
void unix_bind(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	struct notif_verdict *v);

/* unix.c: with the caller's identity, where the kernel must not go on. */
void unix_connect(const struct net *n, const struct notif_call *c, const struct mat_socket *s,
	const struct mat_addr *addr, struct notif_verdict *v);
int unix_listen(const struct notif_call *c, int sock_fd, int backlog);
ssize_t unix_send(
	const struct net *n, const struct notif_call *c, int sock_fd, const struct mat_message *m);

#endif
