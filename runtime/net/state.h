/* SPDX-License-Identifier: Apache-2.0
 *
 * What is kept for one container: each part of this room uses its own fields.
 */
#ifndef SANDLOCK_NET_STATE_H
#define SANDLOCK_NET_STATE_H

#include <signal.h>
#include <time.h>

#include "runtime/net/net.h"
#include "runtime/net/ports/ports.h"
#include "runtime/net/reach/verdict.h"

struct parked;
struct near_socket;

struct audit {
	int dir_fd;
	int fd; /* -1 until the first denial */
	size_t size;
	const char *id;
	const char *pod;
	uint64_t denials;
	uint64_t suppressed;
	unsigned int tokens;
	time_t filled;
};

/* Addresses that are known to be another host's. A power of two. */
#define ROUTE_AWAY_MAX 256
struct route_away {
	bool known;
	bool v6;
	net_addr addr;
};

/* A socket that was found connected to a port when it was bound. */
#define LINGER_MAX 256
struct net_linger {
	uint64_t inode;
	int64_t since_ms, seen_ms;
};

struct net {
	struct net_table table;
	const char *const *rules; /* texts, by number */
	struct net_setup setup;   /* without the plan */
	bool datagrams;
	bool tables_shared; /* by processes; from then on none of the container's is alone */
	bool own_only; /* no rule: the own pod's loopback; a denial is EACCES, not ECONNREFUSED */
	int diag_fd;   /* NETLINK_SOCK_DIAG */
	bool bind_limited;
	bool bind_any_free; /* allow_bind has 0: what the kernel gives need not be in the list */
	const struct rule_ports *bind_ports;
	size_t n_bind_ports;
	struct rule_ports free_range; /* of which the kernel gives for port 0 */
	unsigned int n_free_given;
	bool has_unprivileged_start;
	uint16_t unprivileged_start;
	struct port_list ports; /* of this container; items NULL: no port is replaced */
	struct arena *scratch;  /* with them: cleared after each use */
	struct rule_ports remap_range;
	bool own_stack; /* whoever is on it was put there beside us: all of it is the pod's */
	int route_fd;   /* NETLINK_ROUTE; only where the supervisor connects */
	int news_fd;    /* of its routing, with it */
	struct route_away away[ROUTE_AWAY_MAX];
	int epoll_fd;
	int timer_fd;
	long tick_ns;  /* of timer_fd; 0: off */
	int stuck_fd;  /* of a process that did not bind in time, see act/unix_bind.c; or -1 */
	timer_t alarm; /* ends a blocking call of our own, see guard.c */
	bool guarded;  /* the alarm is on */
	bool guard_on; /* its signal is let through */
	bool guard_used;
	struct parked *parked;
	size_t n_parked;
	size_t n_receivers;  /* of them */
	size_t n_turns;      /* of them: those that wait for their turn to bind */
	size_t n_parked_fds; /* of the messages among them */
	size_t n_parked_bytes;
	size_t max_parked;
	size_t n_ever_parked;
	size_t n_ticks;
	struct near_socket *near; /* near.c */
	size_t n_near;
	struct net_linger linger[LINGER_MAX];
	int64_t near_look_ms; /* when they are looked at next */
	int64_t near_sweep_ms;
	struct audit audit;
};

#endif
