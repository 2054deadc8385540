/* SPDX-License-Identifier: Apache-2.0
 *
 * The Landlock domain of the container (landlock(7), Documentation/userspace-api/landlock.rst). One
 * table, from ABI to rights, describes the differences between kernels.
 */
#ifndef SANDLOCK_CONFINE_LANDLOCK_H
#define SANDLOCK_CONFINE_LANDLOCK_H

#include "runtime/confine/landlock_abi.h"
#include "runtime/plan/net.h"

/* The permitted actions on a file, or on everything below a directory. Several rules add up. */
struct landlock_rule {
	int fd; /* the caller's descriptor; O_PATH is enough */
	/* LANDLOCK_ACCESS_FS_*; rights that this kernel does not handle are left out */
	uint64_t access;
};

/* The rights in the container's tree. Block devices cannot be created. The filter decides about
 * character devices, of which it permits 0:0. */
#define LANDLOCK_TREE_ACCESS (~(uint64_t)LANDLOCK_ACCESS_FS_MAKE_BLOCK)
/* The rights on a file, fifo or terminal that was passed in, so that the workload can open
 * /dev/stdout again. The kernel refuses rights on directories for other files. */
#define LANDLOCK_FILE_ACCESS                                                                       \
	(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE)

struct landlock_params {
	const struct landlock_rule *rules; /* everything that no rule grants is denied */
	size_t n_rules;
	const bool *waived;         /* by enum node_protection: protections that the node waives */
	const struct plan_net *net; /* NULL: no TCP connect, any bind */
};

/* Builds the ruleset. If this kernel lacks a protection that the node does not waive, the error
 * names it. The descriptor is close-on-exec. It is -1 when the kernel has no Landlock and the node
 * waives all of it: then there is no domain to enter. */
int landlock_prepare(const struct landlock_params *p, int *ret_ruleset_fd, struct sl_err *err);

/* Restricts the calling thread: from now on it can create sockets only below its root. Returns 0,
 * or -1 with errno. */
int landlock_fence_sockets(void);

int landlock_abi(void); /* 0: none */

/* Whether this kernel has the protection (Landlock ones by ABI, the others by probing). */
bool landlock_has(enum node_protection p);

#endif
