/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/net: what the handlers of calls share. The parts in subdirectories have their own
 * headers.
 */
#ifndef SANDLOCK_NET_INTERNAL_H
#define SANDLOCK_NET_INTERNAL_H

#include <time.h>

#include "runtime/base/tokens.h"
#include "runtime/net/act/divert.h"
#include "runtime/net/net.h"
#include "runtime/net/park/park.h"
#include "runtime/net/ports/space.h"
#include "runtime/net/reach/reach.h"
#include "runtime/proxy/proto.h"

struct near_socket;

struct audit {
	int dir_fd;
	int fd; /* -1 until the first denial */
	size_t size;
	const char *id;
	const char *pod;
	uint64_t denials;
	uint64_t suppressed;
	struct tokens lines;
};

/* A connected socket that was found when its port was bound. */
#define LINGER_MAX 256
struct net_linger {
	uint64_t inode;
	int64_t since_ms, seen_ms;
};

/* A connection that was passed to the proxy. Its number is its index. */
struct intercepted {
	bool open;
	bool used; /* the supervisor has connected the proxy's socket for it */
	bool due;  /* CONNECTED with this error could not be sent yet */
	int error;
	struct net_dest dest;
	struct mat_addr addr;   /* as the caller wrote it, with the real port */
	struct mat_addr source; /* the address that the caller has bound; len 0: none */
};

struct intercept {
	bool ended; /* the proxy has ended */
	struct divert v4, v6;
	const struct rule_ports *ports;
	size_t n_ports;
	struct intercepted *of; /* NULL: nothing is intercepted */
	uint32_t n, next;
	uint32_t n_due; /* replies to the proxy that wait for room in the socket */
};

struct net {
	struct net_setup setup; /* without the plan */
	uint64_t connections;   /* number of connect(2) whose destination was judged */
	bool unix_judged;       /* plan_net.unix_judged */
	bool datagrams;
	/* processes share a descriptor table: from now on no process counts as single-threaded */
	bool tables_shared;
	/* no rules: only loopback within the pod; a denial is EACCES, not ECONNREFUSED */
	bool own_only;
	bool bind_limited;
	/* allow_bind contains 0: a port that the kernel chooses need not be in the list */
	bool bind_any_free;
	const struct rule_ports *bind_ports;
	size_t n_bind_ports;
	struct rule_ports free_range; /* the range from which the kernel chooses for port 0 */
	unsigned int n_free_given;
	bool has_unprivileged_start;
	uint16_t unprivileged_start;
	struct rule_ports remap_range;
	/* the container has its own network stack, and every socket there is the pod's */
	bool own_stack;
	struct reach reach;
	struct space space;
	struct unix_base unix_base;
	int epoll_fd;
	struct tick tick;
	struct guard guard;
	struct park park;
	struct near_socket *near; /* near.c */
	size_t n_near;
	struct net_linger linger[LINGER_MAX];
	int64_t near_look_ms; /* the time of the next look at them */
	int64_t near_sweep_ms;
	struct audit audit;
	struct intercept intercept;
};

/* judge.c: true when the destination may be reached. A denial is written to the audit log. */
bool judge_may_reach(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	struct mat_addr *addr, struct notif_verdict *v);
/* The same for a destination that was allowed before: the holder of a port on this node may have
 * changed. A denial is not written to the audit log. */
bool judge_still_reaches(struct net *n, const struct net_dest *dest, struct mat_addr *addr);
/* Whether the call on a socket that is not an internet socket may continue in the kernel: nobody
 * can exchange the socket meanwhile. */
bool judge_may_continue(const struct net *n, const struct notif_call *c);

/* audit.c */
void audit_tame(char *text);
void audit_denial(struct net *n, const struct notif_call *c, const struct net_dest *d,
	const struct net_answer *why);

/* Records a request that the proxy has refused. The line names the request, but not the process.
 * always: whatever the rate of lines. */
void audit_request(struct net *n, const struct proxy_audit *what, bool always);

/* intercept.c: connections that go to the proxy. */
int intercept_open(struct arena *a, struct net *n, struct sl_err *err);
bool intercept_has_port(const struct net *n, uint16_t port);
/* Passes a connection to the proxy. The destination must have been checked. dest: as the caller
 * named it. */
void intercept_connect(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	const struct mat_addr *addr, const struct net_dest *dest, struct notif_verdict *v);

/* names.c: names_translate() puts the port that the container knows into the address. names_write()
 * writes the address into the caller's memory as the kernel does: 0, or -1 with errno. */
void names_translate(const struct net *n, const struct mat_socket *s, struct mat_addr *a);
int names_write(
	const struct notif_call *c, uint64_t ptr, uint64_t len_ptr, const struct mat_addr *a);

/* near.c: connects a datagram socket to a port that the pod holds, for as long as the pod holds it.
 * Takes ownership of the socket. Returns 0, or -1 with errno. */
int near_connect(struct net *n, struct mat_socket *s, const struct mat_addr *addr);
/* To be called before the socket is connected to another address. */
void near_forget(struct net *n, int fd);
/* To be called with each tick. */
void near_look(struct net *n);
/* Whether sockets of others are still connected to the port that is going to be bound. Their
 * supervisors disconnect the sockets of other containers within a short time; until then bind(2)
 * waits. */
bool near_lingers(struct net *n, const struct net_bind *b, uint16_t port);
/* Forgets how long the sockets were waited for: somebody else holds the port now. */
void near_lingers_anew(struct net *n);

/* bind_at.c: whether the list permits the port; 0: any free one. */
bool bind_is_listed(const struct net *n, uint16_t port);

#endif
