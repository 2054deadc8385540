/* SPDX-License-Identifier: Apache-2.0
 *
 * The caller's arguments as values of our own: each piece of its memory is read once, with
 * a bound, and nothing is read again. Everything returns 0, or -1 with the errno that the
 * kernel would have given.
 */
#ifndef SANDLOCK_NET_ACT_MATERIALISE_H
#define SANDLOCK_NET_ACT_MATERIALISE_H

#include <sys/socket.h>

#include "runtime/net/reach/verdict.h"
#include "runtime/notif/notif.h"

/* A datagram cannot be larger; for a stream it is where a send is cut short. */
#define MAT_DATAGRAM_MAX ((size_t)65536)
#define MAT_STREAM_MAX   ((size_t)1 << 20)
#define MAT_CONTROL_MAX  ((size_t)4096)
#define MAT_IOV_MAX      1024 /* UIO_MAXIOV */
#define MAT_FDS_MAX      253  /* SCM_MAX_FD */
#define MAT_V6_ADDR_MIN  24   /* SIN6_LEN_RFC2133 of the kernel: without the scope */

struct mat_socket {
	int fd; /* a duplicate: its status flags are the caller's and are never changed */
	int domain;
	int type;
	int protocol;
};

struct mat_addr {
	struct sockaddr_storage addr;
	socklen_t len;
	bool given; /* an address was there, even if of length 0 */
	bool near;  /* it is on this node: as far as connecting goes, at once */
	bool held;  /* who holds the port decided, and not a rule */
};

struct mat_message {
	struct mat_addr name;
	char *data;
	size_t len;
	size_t sent; /* of it: a stream takes what it has room for */
	char *control;
	size_t control_len;
	int *fds; /* ours, of SCM_RIGHTS, in the control data as well */
	size_t n_fds;
	struct brief *closer; /* of fds */
	int flags;
};

int mat_socket_open(const struct notif_call *c, int fd, struct mat_socket *ret);
/* The same for who reads the caller's memory, by a function below, before anything is done with the
 * socket: that makes sure of the caller. */
int mat_socket_look(const struct notif_call *c, int fd, struct mat_socket *ret);
void mat_socket_close(struct mat_socket *s);
/* O_NONBLOCK, as it is now. */
bool mat_nonblocking(const struct mat_socket *s);

/* Of connect(2) and sendto(2): at most a sockaddr_storage. */
int mat_address(const struct notif_call *c, uint64_t ptr, uint64_t len, struct mat_addr *ret);

/* The port of an AF_INET or AF_INET6 address, in host order. */
uint16_t mat_port(const struct mat_addr *a);
void mat_set_port(struct mat_addr *a, uint16_t port);

int mat_sendto(const struct notif_call *c, const struct mat_socket *s, struct mat_message *ret);
/* One struct msghdr at ptr. */
int mat_message(const struct notif_call *c, const struct mat_socket *s, uint64_t ptr, int flags,
	struct mat_message *ret);
void mat_message_free(struct mat_message *m);

/* The protocol by the socket itself; -1: none that a rule can be about. */
int mat_protocol(const struct mat_socket *s, enum net_proto *ret);

/* The destination as the kernel will read it. Returns 0, or -1 with errno; *ret_none: the
 * address is there and means none (AF_UNSPEC). sending: sendmsg(2)'s reading, which differs.
 * What the kernel could read in another way later is made plain in the address. */
int mat_destination(const struct mat_socket *s, struct mat_addr *a, bool sending,
	struct net_dest *ret, bool *ret_none);

#endif
