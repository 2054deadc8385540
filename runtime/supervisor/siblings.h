/* SPDX-License-Identifier: Apache-2.0
 *
 * The other containers of the own pod: those below the same state root to which their caller has
 * given the same sandbox id. The result is kept, and each directory is read once.
 */
#ifndef SANDLOCK_SUPERVISOR_SIBLINGS_H
#define SANDLOCK_SUPERVISOR_SIBLINGS_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct siblings {
	int root_fd;
	const char *id;
	const char *pod;      /* "": the container is in no pod and has no siblings */
	struct timespec seen; /* the root's modification time when every container was known */
	char **ids;
	size_t n;
	uint64_t *strangers; /* hashes of the directories of other pods, sorted */
	size_t n_strangers;
};

/* Calls each() with the state directory of each sibling. */
void siblings_each(struct siblings *s, void (*each)(int dir_fd, void *arg), void *arg);

#endif
