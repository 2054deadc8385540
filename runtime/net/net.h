/* SPDX-License-Identifier: Apache-2.0
 *
 * The network of one container, in the supervisor. It decides about the destinations of trapped
 * calls and performs the calls on a duplicate of the caller's socket, with its own copy of the
 * address, so that nothing can be exchanged between the check and the call (seccomp_unotify(2)).
 *
 * The supervisor has one thread: a call that would block is parked with its duplicate until the
 * socket is ready, so a destination that does not answer delays nobody. After a failure the call is
 * denied.
 */
#ifndef SANDLOCK_NET_NET_H
#define SANDLOCK_NET_NET_H

#include "runtime/notif/notif.h"
#include "runtime/plan/net.h"

struct net;

/* How many sockets of a pod may share one port. The search for their owner reads every descriptor
 * of the pod once, so many sockets cost little. But each bind lists them all while other containers
 * wait for their turn. */
#define NET_HOLDERS_MAX 1024

enum net_known { NET_UNKNOWN, NET_KNOWN_OWN, NET_KNOWN_FOREIGN };

/* Functions of the supervisor that this room calls. */
struct net_host {
	/* Whether processes of the same pod hold all sockets with these inodes. */
	bool (*owns)(void *ctx, const uint64_t *inodes, size_t n);
	/* The same without a search: from the results of owns() and note() that are remembered. */
	enum net_known (*knows)(void *ctx, const uint64_t *inodes, size_t n);
	/* Remembers that the pod holds the socket with this inode. */
	void (*note)(void *ctx, uint64_t inode);
	/* Which of these sockets a process of the container holds now. */
	void (*find_held)(void *ctx, const uint64_t *inodes, size_t n, bool *ret_held);
	/* Calls each() with the state directory of every other container of the pod. */
	void (*each_sibling)(void *ctx, void (*each)(int dir_fd, void *arg), void *arg);
	/* Begins and ends this container's turn to bind. One container below the state root has the
	 * turn at a time. lock() does not wait. It returns 0, or -1 with errno. */
	int (*lock)(void *ctx);
	void (*unlock)(void *ctx);
	/* Whether the supervisor no longer has a right that a message on a route socket could
	 * use. */
	bool (*is_harmless)(void *ctx);
	/* The writable directory that the container sees as /proc/net; -1: the container has
	 * none. */
	int (*proc_net)(void *ctx);
	/* Restricts the calling process: from now on it can create sockets only below its root.
	 * Returns 0, or -1 with errno; ENOSYS or EOPNOTSUPP when this kernel cannot do that. */
	int (*fence_sockets)(void);
};

struct net_setup {
	const struct plan_net *plan;
	const char *id;
	const char *pod; /* from the container's annotations; "" without one */
	int dir_fd;      /* the state directory: audit.log */
	int proc_fd;     /* the host's /proc */
	/* a NETLINK_ROUTE socket of the node, if the container has another stack; otherwise -1 */
	int node_route_fd;
	/* net_watch_routes() of the node, if the container has another stack; otherwise -1 */
	int node_news_fd;
	/* The socket to the HTTP proxy (runtime/proxy/proto.h) and the ports whose TCP connections
	 * it gets, sorted and disjoint. -1 and no ports: there is no proxy. */
	int proxy_fd;
	const struct rule_ports *proxy_ports;
	size_t n_proxy_ports;
	uint32_t proxy_connections; /* how many may be open at the same time */
	const struct net_host *host;
	void *ctx; /* the argument of the host's functions */
};

/* Opens what the supervisor may not open after it has restricted itself. The plan is not needed
 * afterwards. */
int net_open(struct arena *a, const struct net_setup *setup, struct net **ret, struct sl_err *err);

/* Opens a socket that is told of changes in the routing of the current network stack, for
 * net_setup. Returns -1 with errno on failure. */
int net_watch_routes(void);

/* The descriptor is readable when parked calls may continue; then net_progress() must be called. */
int net_wait_fd(const struct net *n);
void net_progress(struct net *n);

/* Reads one message of the proxy; to be called when its socket is readable. Returns false when the
 * proxy has ended: its ports are refused from then on, and the socket, which the owner closes, is
 * not used any more. */
bool net_hear_proxy(struct net *n);
/* Sends the replies for which the socket had no room; to be called after net_hear_proxy(), and when
 * the socket is writable. Returns false while some are left. */
bool net_answer_proxy(struct net *n);

/* Turns the guard on or off. While it is on, no call on a socket of the container blocks for long,
 * whatever the container does with the socket: the call ends with EINTR. Other calls may end with
 * EINTR as well, epoll_wait(2) among them. It must be on while notif_serve() answers notifications,
 * and off for everything else; net_progress() turns it on itself. */
void net_guard(struct net *n, bool on);

/* Handlers for runtime/notif. net: the struct net. */
void net_on_connect(const struct notif_call *c, struct notif_verdict *v, void *net);
void net_on_bind(const struct notif_call *c, struct notif_verdict *v, void *net);
void net_on_listen(const struct notif_call *c, struct notif_verdict *v, void *net);
/* For getsockname and getpeername. */
void net_on_name(const struct notif_call *c, struct notif_verdict *v, void *net);
void net_on_accept(const struct notif_call *c, struct notif_verdict *v, void *net);
/* For recvfrom, recvmsg and recvmmsg. */
void net_on_receive(const struct notif_call *c, struct notif_verdict *v, void *net);
void net_on_send(const struct notif_call *c, struct notif_verdict *v, void *net);

/* For a clone(2) that shares the descriptor table with a new process. */
void net_on_clone(const struct notif_call *c, struct notif_verdict *v, void *net);

/* The number of calls of connect(2) whose destination was judged, and of denials; they never
 * decrease. */
uint64_t net_connections(const struct net *n);
uint64_t net_denials(const struct net *n);

#endif
