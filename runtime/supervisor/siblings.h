/* SPDX-License-Identifier: Apache-2.0
 *
 * The other containers of the own pod: those below the same state root whose caller has given
 * them the same sandbox id. Each directory is looked at once, however often it is asked.
 */
#ifndef SANDLOCK_SUPERVISOR_SIBLINGS_H
#define SANDLOCK_SUPERVISOR_SIBLINGS_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct siblings {
	int root_fd;
	const char *id;
	const char *pod;      /* "": none, and no siblings */
	struct timespec seen; /* the root's time of change when everything was known */
	char **ids;
	size_t n;
	uint64_t *strangers; /* names, inodes and births, as one number each; sorted */
	size_t n_strangers;
};

/* Calls each() with the state directory of each. */
void siblings_each(struct siblings *s, void (*each)(int dir_fd, void *arg), void *arg);

#endif
