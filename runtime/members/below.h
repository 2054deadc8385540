/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/members: the descendants of a process.
 */
#ifndef SANDLOCK_MEMBERS_BELOW_H
#define SANDLOCK_MEMBERS_BELOW_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* For more descendants, reading all of /proc costs no more. */
#define BELOW_MAX 2048

struct below {
	pid_t pids[BELOW_MAX]; /* the process itself comes first */
	size_t n;
};

/* Returns 0, or -1 if the kernel cannot list them or there are more than BELOW_MAX. */
int below_list(int proc_fd, pid_t top, struct below *ret);
bool below_same(const struct below *a, const struct below *b);

#endif
