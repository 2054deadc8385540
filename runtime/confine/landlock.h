/* SPDX-License-Identifier: Apache-2.0
 *
 * The Landlock domain (landlock(7), Documentation/userspace-api/landlock.rst): the fence
 * around everything of the container. Kernel differences are one table, ABI -> rights.
 */
#ifndef SANDLOCK_CONFINE_LANDLOCK_H
#define SANDLOCK_CONFINE_LANDLOCK_H

#include "runtime/plan/net.h"

struct landlock_params {
	int root_fd;          /* the tree: everything below it is granted, but no device nodes
			       * can be made */
	const int *extra_fds; /* files, fifos and terminals handed in as stdio: read, write and
			       * truncate, so that /dev/stdout can be opened again */
	size_t n_extra_fds;
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
