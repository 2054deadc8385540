/* SPDX-License-Identifier: Apache-2.0
 *
 * The Landlock domain (landlock(7), Documentation/userspace-api/landlock.rst): the fence
 * around everything of the container. Kernel differences are one table, ABI -> rights.
 */
#ifndef SANDLOCK_CONFINE_LANDLOCK_H
#define SANDLOCK_CONFINE_LANDLOCK_H

#include "runtime/confine/landlock_abi.h"
#include "runtime/plan/net.h"

/* What may be done with a file, or with everything below a directory; rules add up. */
struct landlock_rule {
	int fd;          /* the caller's; O_PATH is enough */
	uint64_t access; /* LANDLOCK_ACCESS_FS_*; what this kernel does not handle is left out */
};

/* Of the container's tree. No block device can be made; character devices are the filter's, which
 * lets 0:0 pass. */
#define LANDLOCK_TREE_ACCESS (~(uint64_t)LANDLOCK_ACCESS_FS_MAKE_BLOCK)
/* Of a file, fifo or terminal that was handed in, so that /dev/stdout can be opened again. The
 * kernel refuses the rights of directories on what is none. */
#define LANDLOCK_FILE_ACCESS                                                                       \
	(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE)

struct landlock_params {
	const struct landlock_rule *rules; /* what none of them grants is denied */
	size_t n_rules;
	const bool *waived;         /* by enum node_protection: what the node does without */
	const struct plan_net *net; /* NULL: no TCP connect, binding free */
};

/* Makes the ruleset. A protection that this kernel lacks and the node does not waive is an
 * error naming it. The descriptor is close-on-exec; it is -1 when the kernel has no
 * Landlock at all and the node waives all of it: then there is no domain to enter. */
int landlock_prepare(const struct landlock_params *p, int *ret_ruleset_fd, struct sl_err *err);

/* From here on the calling thread makes sockets below its root only. Returns 0, or -1 with errno.
 */
int landlock_fence_sockets(void);

int landlock_abi(void); /* 0: none */

/* Whether this kernel has the protection (Landlock ones by ABI, the others by probing). */
bool landlock_has(enum node_protection p);

#endif
