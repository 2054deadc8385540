/* SPDX-License-Identifier: Apache-2.0
 *
 * The private port space of a pod: which port a container has asked for, and which one of the
 * stack it got. Each container keeps its own bindings in its state directory (PORTS_FILE,
 * replaced atomically, which is also what a reverse proxy reads); those of the others in the
 * pod are read when a question comes.
 *
 * {"id": …, "pod": …, "ports": [{"protocol": "tcp", "hostIP": "0.0.0.0", "containerPort": 80,
 *   "hostPort": 20000, "inode": 4711}, …]}
 */
#ifndef SANDLOCK_NET_PORTS_PORTS_H
#define SANDLOCK_NET_PORTS_PORTS_H

#include "runtime/base/err.h"
#include "runtime/net/reach/holders.h"

#define PORTS_FILE "ports.json"

/* Bindings of one container that live at the same time. */
#define PORTS_MAX 1024

struct port_binding {
	enum net_proto proto;
	bool v6;
	bool v6only;
	net_addr addr;
	uint16_t asked;
	uint16_t real;
	bool client;    /* it has connected to others */
	uint64_t inode; /* of the socket */
};

struct port_list {
	struct port_binding *items;
	size_t n;
};

/* Reads a container's file; the items belong to the arena. A missing one is an empty list. */
int ports_read(struct arena *a, int dir_fd, struct port_list *ret, struct sl_err *err);
/* The same from memory (fuzzing). */
int ports_parse(
	struct arena *a, const char *text, size_t len, struct port_list *ret, struct sl_err *err);
int ports_write(struct arena *a, int dir_fd, const char *id, const char *pod,
	const struct port_list *l, struct sl_err *err);

/* Removes what is not there any more, neither the socket nor a connection that was accepted on
 * it: of the bindings of one port, and of all when the list is full. 0: of all. */
void ports_prune(int diag_fd, uint16_t asked, struct port_list *l);

/* The address as text. */
const char *ports_address(const struct port_binding *b, char *buf, size_t size);

#endif
