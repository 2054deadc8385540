/* SPDX-License-Identifier: Apache-2.0
 *
 * Files without a name in any tmpfs that is mounted: of memfd_create(2), shared mappings without a
 * file, System V segments. The kernel keeps all of them on one mount of its own, which is how they
 * are told from the files of others: a name could be anything, and to ask a file system that a
 * container has mounted could take for ever.
 */
#ifndef SANDLOCK_LIMITS_SHMEM_H
#define SANDLOCK_LIMITS_SHMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Different ones that are counted; with more the rest is not. */
#define SHMEM_FILES_MAX 16384

struct shmem {
	uint64_t mount_id; /* of that mount, as in fdinfo; 0: not known */
	uint64_t device;   /* st_dev */
	uint64_t *seen;    /* inodes, sorted; of this look */
	size_t n_seen, room;
};

/* Returns 0, or -1 with errno. */
int shmem_open(struct shmem *s);
void shmem_begin(struct shmem *s); /* a look */

/* What a process has open or mapped of them and nobody before it had; *ret_all: what it has at all.
 * dir_fd is its directory, thread_fd that of a thread of it that has not ended, or the same. */
uint64_t shmem_of(struct shmem *s, int dir_fd, int thread_fd, pid_t pid, uint64_t *ret_all);

#endif
