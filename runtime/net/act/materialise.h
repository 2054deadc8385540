/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies the caller's arguments into the supervisor. Each piece of the caller's memory is read
 * once, with a size limit. The functions return 0, or -1 with the errno that the kernel would have
 * given.
 */
#ifndef SANDLOCK_NET_ACT_MATERIALISE_H
#define SANDLOCK_NET_ACT_MATERIALISE_H

#include <sys/socket.h>

#include "runtime/net/reach/verdict.h"
#include "runtime/notif/notif.h"

/* The largest datagram, and the length to which a send on a stream is cut. */
#define MAT_DATAGRAM_MAX ((size_t)65536)
#define MAT_STREAM_MAX   ((size_t)1 << 20)
#define MAT_CONTROL_MAX  ((size_t)4096)
#define MAT_IOV_MAX      1024 /* UIO_MAXIOV */
#define MAT_FDS_MAX      253  /* SCM_MAX_FD */
#define MAT_V6_ADDR_MIN  24   /* SIN6_LEN_RFC2133 of the kernel: an address without the scope */

struct mat_socket {
	/* a duplicate: it shares its status flags with the caller, so they are never changed */
	int fd;
	int domain;
	int type;
	int protocol;
};

struct mat_addr {
	struct sockaddr_storage addr;
	socklen_t len;
	bool given; /* the caller gave an address, even if its length is 0 */
	bool near;  /* the address is on this node, so a connect is answered at once */
	bool held;  /* the holder of the port was the reason for the decision, not a rule */
};

struct mat_message {
	struct mat_addr name;
	char *data;
	size_t len;
	size_t sent; /* bytes of data that a stream has taken so far */
	char *control;
	size_t control_len;
	/* descriptors of the supervisor for SCM_RIGHTS; their numbers are in the control data */
	int *fds;
	size_t n_fds;
	struct brief *closer; /* closes fds */
	int flags;
};

int mat_socket_open(const struct notif_call *c, int fd, struct mat_socket *ret);
/* The same without the check that the caller still waits. Only for a handler that reads the
 * caller's memory with one of the functions below before it uses the socket: those make the check.
 * */
int mat_socket_look(const struct notif_call *c, int fd, struct mat_socket *ret);
void mat_socket_close(struct mat_socket *s);
/* The state of O_NONBLOCK now. */
bool mat_nonblocking(const struct mat_socket *s);

/* Reads the address of connect(2) or sendto(2): at most a sockaddr_storage. */
int mat_address(const struct notif_call *c, uint64_t ptr, uint64_t len, struct mat_addr *ret);

/* The port of an AF_INET or AF_INET6 address, in host order. */
uint16_t mat_port(const struct mat_addr *a);
void mat_set_port(struct mat_addr *a, uint16_t port);

int mat_sendto(const struct notif_call *c, const struct mat_socket *s, struct mat_message *ret);
/* Reads one struct msghdr at ptr. */
int mat_message(const struct notif_call *c, const struct mat_socket *s, uint64_t ptr, int flags,
	struct mat_message *ret);
void mat_message_free(struct mat_message *m);

/* The protocol of the socket. Returns -1 for a protocol that no rule can name. */
int mat_protocol(const struct mat_socket *s, enum net_proto *ret);

/* Decodes the destination as the kernel will read it. sending: as sendmsg(2) reads it, which is
 * different from connect(2). *ret_none: the address means no destination (AF_UNSPEC). Where the
 * kernel could read the address differently later, the address is changed so that it has one
 * meaning only. Returns 0, or -1 with errno. */
int mat_destination(const struct mat_socket *s, struct mat_addr *a, bool sending,
	struct net_dest *ret, bool *ret_none);

#endif
