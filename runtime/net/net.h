/* SPDX-License-Identifier: Apache-2.0
 *
 * The network of one container in the supervisor: decides about the destinations of
 * trapped calls and performs them on a duplicate of the caller's socket, with its own copy
 * of the address, so that nothing can be exchanged after the look (seccomp_unotify(2)).
 *
 * Single-threaded: a call that would block is parked with its duplicate until the socket is
 * ready, so a destination that does not answer holds up nobody. Failure regime: deny.
 */
#ifndef SANDLOCK_NET_NET_H
#define SANDLOCK_NET_NET_H

#include "runtime/notif/notif.h"
#include "runtime/plan/net.h"

struct net;

/* Sockets of a pod that share one port. Whoever looks for their owner goes through every
 * descriptor of the pod once, so many cost little; but each bind lists them all, and others
 * wait for their turn meanwhile. */
#define NET_HOLDERS_MAX 1024

enum net_known { NET_UNKNOWN, NET_KNOWN_OWN, NET_KNOWN_FOREIGN };

/* What the supervisor knows and may do, and this room does not. */
struct net_host {
	/* Whether processes of the own pod hold the sockets with these inodes, all of them. */
	bool (*owns)(void *ctx, const uint64_t *inodes, size_t n);
	/* The same from memory: what was found by owns() a moment ago, or noted. */
	enum net_known (*knows)(void *ctx, const uint64_t *inodes, size_t n);
	/* A socket with this inode is the own pod's. */
	void (*note)(void *ctx, uint64_t inode);
	/* Which of these sockets a process of the container holds now. */
	void (*find_held)(void *ctx, const uint64_t *inodes, size_t n, bool *ret_held);
	/* Calls each() with the state directory of every other container of the pod. */
	void (*each_sibling)(void *ctx, void (*each)(int dir_fd, void *arg), void *arg);
	/* Of all containers below the state root one at a time binds. Does not wait. Returns 0,
	 * or -1 with errno. */
	int (*lock)(void *ctx);
	void (*unlock)(void *ctx);
	/* Whether we have no right (any more) that a route socket's message could make use of. */
	bool (*is_harmless)(void *ctx);
	/* The directory of /proc/net where it can be written; -1: the container has none. */
	int (*proc_net)(void *ctx);
	/* From here on the calling process makes sockets below its root only. Returns 0, or -1 with
	 * errno: ENOSYS or EOPNOTSUPP when this kernel cannot do that. */
	int (*fence_sockets)(void);
};

struct net_setup {
	const struct plan_net *plan;
	const char *id;
	const char *pod;   /* of the container's annotations, "" without one */
	int dir_fd;        /* the state directory: audit.log */
	int proc_fd;       /* the host's /proc */
	int node_route_fd; /* NETLINK_ROUTE of the node, where the stack is another; else -1 */
	int node_news_fd;  /* of net_watch_routes(), the same */
	/* Whoever reads HTTP for the container (runtime/proxy/proto.h), and the ports that it gets
	 * the TCP connections of, sorted and disjoint; -1 and none: nobody does. */
	int proxy_fd;
	const struct rule_ports *proxy_ports;
	size_t n_proxy_ports;
	uint32_t proxy_connections; /* that may be open at the same time */
	const struct net_host *host;
	void *ctx; /* of the host's functions */
};

/* Before the supervisor confines itself: opens what it may not open later. The plan is not
 * needed afterwards. */
int net_open(struct arena *a, const struct net_setup *setup, struct net **ret, struct sl_err *err);

/* A socket that is told of what changes in the routing of the stack that we are on, for net_setup;
 * -1 with errno. */
int net_watch_routes(void);

/* Becomes readable when parked calls may go on; then net_progress() is to be called. */
int net_wait_fd(const struct net *n);
void net_progress(struct net *n);

/* What the proxy has to say; to be called when its socket can be read. Returns false when it has
 * ended: from then on its ports are closed, and the socket, which stays the owner's, is not used
 * any more. */
bool net_hear_proxy(struct net *n);

/* On before trapped calls are answered by notif_serve(), and off before anything else is done but
 * net_progress(), which does it itself: while it is on no call on a descriptor of the container
 * blocks for long, whatever the container does with it; it ends with EINTR, as other calls may,
 * epoll_wait(2) among them. */
void net_guard(struct net *n, bool on);

/* Handlers of runtime/notif; net: the struct net. */
void net_on_connect(const struct notif_call *c, struct notif_verdict *v, void *net);
void net_on_bind(const struct notif_call *c, struct notif_verdict *v, void *net);
void net_on_listen(const struct notif_call *c, struct notif_verdict *v, void *net);
/* getsockname and getpeername. */
void net_on_name(const struct notif_call *c, struct notif_verdict *v, void *net);
void net_on_accept(const struct notif_call *c, struct notif_verdict *v, void *net);
/* recvfrom, recvmsg and recvmmsg. */
void net_on_receive(const struct notif_call *c, struct notif_verdict *v, void *net);
void net_on_send(const struct notif_call *c, struct notif_verdict *v, void *net);

/* clone(2) of a process that shares its table of descriptors. */
void net_on_clone(const struct notif_call *c, struct notif_verdict *v, void *net);

uint64_t net_denials(const struct net *n);

#endif
