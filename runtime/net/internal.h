/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/net: what the handlers of calls share, beside the parts that have a folder.
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

/* A socket that was found connected to a port when it was bound. */
#define LINGER_MAX 256
struct net_linger {
	uint64_t inode;
	int64_t since_ms, seen_ms;
};

/* A connection that the proxy has got, by its number. */
struct intercepted {
	bool open;
	bool used; /* the proxy has had its socket connected */
	struct net_dest dest;
	struct mat_addr addr; /* as the caller wrote it, with the port that is meant */
};

struct intercept {
	bool ended; /* the proxy */
	struct divert v4, v6;
	const struct rule_ports *ports;
	size_t n_ports;
	struct intercepted *of; /* NULL: nothing is intercepted */
	uint32_t n, next;
};

struct net {
	struct net_setup setup; /* without the plan */
	bool datagrams;
	bool tables_shared; /* by processes; from then on none of the container's is alone */
	bool own_only; /* no rule: the own pod's loopback; a denial is EACCES, not ECONNREFUSED */
	bool bind_limited;
	bool bind_any_free; /* allow_bind has 0: what the kernel gives need not be in the list */
	const struct rule_ports *bind_ports;
	size_t n_bind_ports;
	struct rule_ports free_range; /* of which the kernel gives for port 0 */
	unsigned int n_free_given;
	bool has_unprivileged_start;
	uint16_t unprivileged_start;
	struct rule_ports remap_range;
	bool own_stack; /* whoever is on it was put there beside us: all of it is the pod's */
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
	int64_t near_look_ms; /* when they are looked at next */
	int64_t near_sweep_ms;
	struct audit audit;
	struct intercept intercept;
};

/* judge.c: true when the destination may be reached; a denial is on record afterwards. */
bool judge_may_reach(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	struct mat_addr *addr, struct notif_verdict *v);
/* The same once more, for a destination that it was true of: what is near may be another's by now.
 * A denial is not on record. */
bool judge_still_reaches(struct net *n, const struct net_dest *dest, struct mat_addr *addr);
/* What is no internet socket goes on in the kernel where nothing can be exchanged. */
bool judge_may_continue(const struct net *n, const struct notif_call *c);

/* audit.c */
void audit_tame(char *text);
void audit_denial(struct net *n, const struct notif_call *c, const struct net_dest *d,
	const struct net_answer *why);

/* What the proxy has refused; it is said who asked for what, and not which process. */
void audit_request(struct net *n, const struct proxy_audit *what);

/* intercept.c: connections that go to the proxy. */
int intercept_open(struct arena *a, struct net *n, struct sl_err *err);
bool intercept_has_port(const struct net *n, uint16_t port);
/* The destination was judged. dest: as the caller named it. */
void intercept_connect(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	const struct mat_addr *addr, const struct net_dest *dest, struct notif_verdict *v);

/* names.c: the address with the port that the container knows, and into its memory as the
 * kernel writes it; 0, or -1 with errno. */
void names_translate(const struct net *n, const struct mat_socket *s, struct mat_addr *a);
int names_write(
	const struct notif_call *c, uint64_t ptr, uint64_t len_ptr, const struct mat_addr *a);

/* near.c: connects a datagram socket to a port that the pod holds, for as long as it does. The
 * socket is taken. Returns 0, or -1 with errno. */
int near_connect(struct net *n, struct mat_socket *s, const struct mat_addr *addr);
/* The socket is going to be connected to something else. */
void near_forget(struct net *n, int fd);
/* With each tick. */
void near_look(struct net *n);
/* Whether sockets of others are connected to what is going to be bound: those of other containers
 * are cut within a moment, and until then the bind waits. */
bool near_lingers(struct net *n, const struct net_bind *b, uint16_t port);
/* Who was waited for is waited for once more: a port is held by others meanwhile. */
void near_lingers_anew(struct net *n);

/* bind_at.c: whether the port may be bound, where the ports are limited; 0: any free one. */
bool bind_is_listed(const struct net *n, uint16_t port);

#endif
