/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/net: what its files share.
 */
#ifndef SANDLOCK_NET_INTERNAL_H
#define SANDLOCK_NET_INTERNAL_H

#include <signal.h>
#include <sys/socket.h>
#include <time.h>

#include "runtime/net/materialise.h"
#include "runtime/net/net.h"
#include "runtime/net/verdict.h"

struct parked;

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

struct net {
	struct net_table table;
	const char *const *rules; /* texts, by number */
	struct net_setup setup;   /* without the plan */
	bool datagrams;
	int route_fd; /* NETLINK_ROUTE */
	int diag_fd;  /* NETLINK_SOCK_DIAG */
	int epoll_fd;
	int timer_fd;
	timer_t alarm; /* ends a blocking call of our own, see connect_briefly() */
	struct parked *parked;
	size_t n_parked;
	size_t max_parked;
	struct audit audit;
};

/* compile.c: the plan's rules as tables. */
int net_compile(struct arena *a, const struct plan_net *plan, struct net *n, struct sl_err *err);

/* route.c: where the kernel would send it. */
enum route {
	ROUTE_AWAY,
	ROUTE_HERE,  /* an address of this node, or of the namespace that was joined */
	ROUTE_OTHER, /* to more than one host; also when it cannot be found out */
};
enum route route_of(int route_fd, const struct net_dest *d);

/* owner.c */
enum owner { OWNER_NOBODY, OWNER_POD, OWNER_OTHER };
enum owner owner_of_port(const struct net *n, const struct net_dest *d);

/* audit.c */
void audit_tame(char *text);
void audit_denial(struct net *n, const struct notif_call *c, const struct net_dest *d,
	const struct net_answer *why);

/* park.c: calls that wait. */
int park_open(struct net *n, struct sl_err *err);
/* connect(2) on the duplicate of a blocking socket: answers at once when it can. The socket
 * is taken. */
void park_connect(struct net *n, const struct notif_call *c, struct notif_verdict *v, int *sock_fd,
	const struct mat_addr *addr);
/* sendmsg(2) that found no room. Message and socket are taken. */
void park_send(struct net *n, const struct notif_call *c, struct notif_verdict *v, int *sock_fd,
	struct mat_message *m);

/* send.c: sends what was materialised; -1 with errno. */
ssize_t send_message(int sock_fd, const struct mat_message *m);

/* unix.c: with the caller's identity, where the kernel must not go on. */
void unix_connect(const struct net *n, const struct notif_call *c, const struct mat_socket *s,
	const struct mat_addr *addr, struct notif_verdict *v);
ssize_t unix_send(
	const struct net *n, const struct notif_call *c, int sock_fd, const struct mat_message *m);

/* engine.c: true when the destination may be reached; a denial is on record afterwards. */
bool engine_may_reach(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	struct mat_addr *addr, struct notif_verdict *v);
/* What is no internet socket goes on in the kernel where nothing can be exchanged. */
bool engine_may_continue(const struct net *n, const struct notif_call *c);

#endif
