/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions about the ports of a pod, where they may be replaced. Needs the state directories of
 * the pod (struct net_host).
 */
#ifndef SANDLOCK_NET_PORTS_SPACE_H
#define SANDLOCK_NET_PORTS_SPACE_H

#include "runtime/net/net.h"
#include "runtime/net/ports/ports.h"

struct space {
	struct port_list list; /* of this container; items NULL: no port is replaced */
	struct arena *scratch; /* with them: cleared after each use */
	const struct net_host *host;
	void *ctx;  /* of the host's functions */
	int dir_fd; /* the state directory */
	const char *id;
	const char *pod;
};
typedef void (*space_visitor)(const struct port_binding *b, void *ctx);
/* Who opens it has set host, ctx, dir_fd, id and pod. */
int space_open(struct space *s, struct sl_err *err);
void space_each(const struct space *s, space_visitor visitor, void *ctx);
enum space_port {
	SPACE_UNKNOWN, /* nobody of the pod has bound it */
	SPACE_MAPPED,  /* it is *ret_real on the stack */
	SPACE_HIDDEN,  /* on the stack it stands for another port of the pod */
};
enum space_port space_find(const struct space *s, const struct net_dest *d, uint16_t *ret_real);
uint16_t space_name(const struct space *s, enum net_proto proto, uint16_t real);
/* Whether a port of the pod has been replaced at all; the same of sockets that have connected
 * from it, which is when the other side sees it. */
bool space_has_replaced(const struct space *s, enum net_proto proto);
bool space_has_clients(const struct space *s);
/* Notes that the socket connects. */
void space_note_client(struct space *s, int fd);
/* Writes the file. What does not get into it is still known here, and is written with the next
 * change. */
void space_save(struct space *s);

#endif
