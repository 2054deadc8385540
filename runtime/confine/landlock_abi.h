/* SPDX-License-Identifier: Apache-2.0
 *
 * The rights of each Landlock ABI, as one table, and the parts of linux/landlock.h that are newer
 * than the oldest supported headers.
 */
#ifndef SANDLOCK_CONFINE_LANDLOCK_ABI_H
#define SANDLOCK_CONFINE_LANDLOCK_ABI_H

#include <linux/landlock.h>
#include <stdint.h>

#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif
#ifndef LANDLOCK_ACCESS_NET_CONNECT_TCP
#define LANDLOCK_ACCESS_NET_CONNECT_TCP (1ULL << 1)
#endif
#ifndef LANDLOCK_ACCESS_NET_BIND_TCP
#define LANDLOCK_ACCESS_NET_BIND_TCP (1ULL << 0)
#endif
#ifndef LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
#define LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET (1ULL << 0)
#define LANDLOCK_SCOPE_SIGNAL               (1ULL << 1)
#endif

/* struct landlock_ruleset_attr of ABI 6. An older kernel accepts it if the fields that it does not
 * know are 0. */
struct landlock_rights {
	uint64_t fs;
	uint64_t net;
	uint64_t scoped;
};

/* struct landlock_net_port_attr of ABI 4, and the type of its rule. */
struct landlock_port {
	uint64_t access;
	uint64_t port;
};
#define LANDLOCK_PORT_RULE 2

/* The rights that an ABI can handle and that this runtime wants to handle. ABI 0 has none. An ABI
 * that is newer than the table has the rights of the last row. */
struct landlock_rights landlock_abi_rights(int abi);

#endif
