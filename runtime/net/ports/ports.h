/* SPDX-License-Identifier: Apache-2.0
 *
 * The private port space of a pod: which port a container has asked for, and which port of the
 * stack it got. Each container keeps its own bindings in its state directory, in PORTS_FILE. The
 * file is replaced atomically; a reverse proxy can read it too. The bindings of the other
 * containers of the pod are read when they are needed.
 *
 * {"id": …, "pod": …, "ports": [{"protocol": "tcp", "hostIP": "0.0.0.0", "containerPort": 80,
 *   "hostPort": 20000, "inode": 4711}, …]}
 */
#ifndef SANDLOCK_NET_PORTS_PORTS_H
#define SANDLOCK_NET_PORTS_PORTS_H

#include "runtime/base/err.h"
#include "runtime/net/reach/holders.h"

#define PORTS_FILE "ports.json"

/* How many bindings one container may have at the same time. */
#define PORTS_MAX 1024

struct port_binding {
	enum net_proto proto;
	bool v6;
	bool v6only;
	net_addr addr;
	uint16_t asked;
	uint16_t real;
	bool client;    /* the socket has connected to others */
	uint64_t inode; /* of the socket */
};

struct port_list {
	struct port_binding *items;
	size_t n;
};

/* Reads a container's file. The items belong to the arena. A missing file is an empty list. */
int ports_read(struct arena *a, int dir_fd, struct port_list *ret, struct sl_err *err);
/* The same from memory, for fuzzing. */
int ports_parse(
	struct arena *a, const char *text, size_t len, struct port_list *ret, struct sl_err *err);
int ports_write(struct arena *a, int dir_fd, const char *id, const char *pod,
	const struct port_list *l, struct sl_err *err);

/* Removes the bindings of the port (asked 0, or a full list: of all ports) for which neither the
 * socket nor a connection that it has accepted exists any more. */
void ports_prune(int diag_fd, uint16_t asked, struct port_list *l);

/* Prints the address into the buffer and returns it. */
const char *ports_address(const struct port_binding *b, char *buf, size_t size);

#endif
