/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/net: what its files share.
 */
#ifndef SANDLOCK_NET_INTERNAL_H
#define SANDLOCK_NET_INTERNAL_H

#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#include "runtime/base/cleanup.h"
#include "runtime/caller/caller.h"
#include "runtime/net/holders.h"
#include "runtime/net/materialise.h"
#include "runtime/net/net.h"
#include "runtime/net/ports.h"
#include "runtime/net/verdict.h"

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
	int stuck_fd;  /* of a process that did not bind in time, see unix_bind.c; or -1 */
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

/* compile.c: the plan's rules as tables. */
int net_compile(struct arena *a, const struct plan_net *plan, struct net *n, struct sl_err *err);

/* route.c: where the kernel would send it. */
enum route {
	ROUTE_AWAY,
	ROUTE_HERE,  /* an address of this node, or of the namespace that was joined */
	ROUTE_OTHER, /* to more than one host; also when it cannot be found out */
};
enum route route_of(int route_fd, const struct net_dest *d);
/* Whether it was noted that the address is neither of this node nor of the namespace, and nothing
 * has changed since; ask before the routing is asked what is noted. */
bool route_is_away(struct net *n, const struct net_dest *d);
void route_note_away(struct net *n, const struct net_dest *d);

/* owner.c */
enum owner { OWNER_NOBODY, OWNER_POD, OWNER_OTHER };
enum owner owner_of_port(const struct net *n, const struct net_dest *d);

/* What a bind(2) asks for. */
struct net_bind {
	enum net_proto proto;
	bool v6;
	bool v6only;
	net_addr addr; /* 0: every address */
	uint16_t port; /* 0: any free one */
	bool shares;   /* the kernel would let it share the port with others of its kind */
};
/* Whose sockets the port would have to be shared with; which of them can matter. */
enum owner owner_in_the_way(
	const struct net *n, const struct net_bind *b, uint16_t port, enum holders_of which);
/* The same without looking through the pod's descriptors: *ret_known becomes false when that would
 * be needed, and the answer is OWNER_OTHER then. */
enum owner owner_known_in_the_way(const struct net *n, const struct net_bind *b, uint16_t port,
	enum holders_of which, bool *ret_known);
enum holders_of owner_worth_asking(const struct net_bind *b);

/* space.c: the pod's ports. */
typedef void (*space_visitor)(const struct port_binding *b, void *ctx);
int space_open(struct net *n, struct sl_err *err);
void space_each(const struct net *n, space_visitor visitor, void *ctx);
enum space_port {
	SPACE_UNKNOWN, /* nobody of the pod has bound it */
	SPACE_MAPPED,  /* it is *ret_real on the stack */
	SPACE_HIDDEN,  /* on the stack it stands for another port of the pod */
};
enum space_port space_find(const struct net *n, const struct net_dest *d, uint16_t *ret_real);
uint16_t space_name(const struct net *n, enum net_proto proto, uint16_t real);
/* Whether a port of the pod has been replaced at all; the same of sockets that have connected
 * from it, which is when the other side sees it. */
bool space_has_replaced(const struct net *n, enum net_proto proto);
bool space_has_clients(const struct net *n);
/* Notes that the socket connects. */
void space_note_client(struct net *n, const struct mat_socket *s);
/* Writes the file. What does not get into it is still known here, and is written with the next
 * change. */
void space_save(struct net *n);

/* names.c: the address with the port that the container knows, and into its memory as the
 * kernel writes it; 0, or -1 with errno. */
void names_translate(const struct net *n, const struct mat_socket *s, struct mat_addr *a);
int names_write(
	const struct notif_call *c, uint64_t ptr, uint64_t len_ptr, const struct mat_addr *a);

/* audit.c */
void audit_tame(char *text);
void audit_denial(struct net *n, const struct notif_call *c, const struct net_dest *d,
	const struct net_answer *why);

/* park.c: calls that wait. */
int park_open(struct net *n); /* 0, or -1 with errno */
/* connect(2) on the duplicate of a blocking socket: answers at once when it can. The socket
 * is taken. */
void park_connect(struct net *n, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, const struct mat_addr *addr);
/* sendmsg(2) that found no room, or not for all: the rest is sent by the sender, which returns -1
 * with errno EAGAIN as long as there is no room. Message and socket are taken. Returns 0, or -1
 * with errno. */
typedef ssize_t (*park_sender)(const struct net *n, const struct notif_call *c,
	const struct mat_socket *s, const struct mat_message *m);
int park_send(struct net *n, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, struct mat_message *m, park_sender send);
/* What waits for something to come: the attempt is made whenever there is something, and
 * returns false when there was nothing after all. The socket is taken. */
typedef bool (*park_attempt)(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	struct notif_verdict *v);
void park_receive(struct net *n, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, park_attempt attempt);
/* The same for what waits for its turn: nothing tells when it comes, so it is tried again and
 * again, every millisecond. */
void park_turn(struct net *n, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, park_attempt attempt);
/* The same for a connect that found the queue of a listener full: at the usual ticks, bounded by
 * SO_SNDTIMEO and interrupted by signals. */
void park_room(struct net *n, const struct notif_call *c, struct notif_verdict *v,
	struct mat_socket *s, park_attempt attempt);
/* Lets go of the sockets of callers that are gone, which would be seen with the next tick only. */
void park_drop_gone(struct net *n);
/* Its socket is ready. */
void park_go_on(struct net *n, struct parked *p);
/* With each tick. */
void park_look(struct net *n);

/* tick.c: a timer for what nothing tells of. */
int tick_open(struct net *n); /* 0, or -1 with errno */
/* As often as it is needed now. */
void tick_set(struct net *n);
/* Whether one has come; it is taken. */
bool tick_take(struct net *n);

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

/* bind_at.c: whether the port may be bound, where the ports are limited; 0: any free one. */
bool bind_is_listed(const struct net *n, uint16_t port);

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

/* judge.c: true when the destination may be reached; a denial is on record afterwards. */
bool judge_may_reach(struct net *n, const struct notif_call *c, const struct mat_socket *s,
	struct mat_addr *addr, struct notif_verdict *v);
/* What is no internet socket goes on in the kernel where nothing can be exchanged. */
bool judge_may_continue(const struct net *n, const struct notif_call *c);

#endif
