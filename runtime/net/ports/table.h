/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes /proc/net/tcp, tcp6, udp and udp6 (proc(5)) for a container whose ports may be replaced.
 * The files list the ports that the container has bound, with the numbers that it knows. A bound
 * port is shown as listening; connections are not listed.
 */
#ifndef SANDLOCK_NET_PORTS_TABLE_H
#define SANDLOCK_NET_PORTS_TABLE_H

#include "runtime/net/ports/ports.h"

/* Replaces the four files in the directory. Their first lines are kept, so the files must exist. */
int table_write(struct arena *a, int dir_fd, const struct port_list *l, struct sl_err *err);

#endif
