/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions about the port space of a pod, where ports may be replaced. The other containers of the
 * pod are found through struct net_host.
 */
#ifndef SANDLOCK_NET_PORTS_SPACE_H
#define SANDLOCK_NET_PORTS_SPACE_H

#include "runtime/net/net.h"
#include "runtime/net/ports/ports.h"

struct space {
	struct port_list list; /* the bindings of this container; items NULL: no port is replaced */
	struct arena *scratch; /* valid if list.items is not NULL; cleared after each use */
	const struct net_host *host;
	void *ctx;  /* the argument of the host's functions */
	int dir_fd; /* the state directory */
	const char *id;
	const char *pod;
};
typedef void (*space_visitor)(const struct port_binding *b, void *ctx);
/* The caller must have set host, ctx, dir_fd, id and pod. */
int space_open(struct space *s, struct sl_err *err);
void space_each(const struct space *s, space_visitor visitor, void *ctx);
enum space_port {
	SPACE_UNKNOWN, /* nobody in the pod has bound the port */
	SPACE_MAPPED,  /* the real port is *ret_real */
	SPACE_HIDDEN,  /* the number is the replacement of another port of the pod */
};
enum space_port space_find(const struct space *s, const struct net_dest *d, uint16_t *ret_real);
uint16_t space_name(const struct space *s, enum net_proto proto, uint16_t real);
/* space_has_replaced(): whether any port of the pod is replaced. space_has_clients(): whether a
 * socket with a replaced port has connected, so that its peer sees the replacement. */
bool space_has_replaced(const struct space *s, enum net_proto proto);
bool space_has_clients(const struct space *s);
/* Notes that the socket connects. */
void space_note_client(struct space *s, int fd);
/* Writes the file. If that fails, the bindings stay in memory and are written with the next
 * change. */
void space_save(struct space *s);

#endif
