/* SPDX-License-Identifier: Apache-2.0
 *
 * /proc/net/tcp, tcp6, udp and udp6 (proc(5)) of a container whose ports may be replaced: the
 * ports it has bound, by the numbers it knows. A port that is bound counts as one that
 * listens; connections are not listed.
 */
#ifndef SANDLOCK_NET_PORTS_TABLE_H
#define SANDLOCK_NET_PORTS_TABLE_H

#include "runtime/net/ports/ports.h"

/* Replaces the four files in the directory; their headlines, which are there, stay. */
int table_write(struct arena *a, int dir_fd, const struct port_list *l, struct sl_err *err);

#endif
