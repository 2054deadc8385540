/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that have no name in any mounted tmpfs: those of memfd_create(2), shared mappings
 * without a file, System V segments. The kernel keeps all of them on one internal mount, by
 * which they are recognised. Names are no proof, and a file system that the container has
 * mounted must not be asked: it might never answer. In the same way files of the pod's /dev/shm
 * are recognised, which several containers share: each has what its own processes have open or
 * mapped.
 */
#ifndef SANDLOCK_LIMITS_SHMEM_H
#define SANDLOCK_LIMITS_SHMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The most files that are counted; further ones are not. */
#define SHMEM_FILES_MAX 16384

#define SHMEM_MOUNTS    2

struct shmem {
	struct shmem_mount {
		uint64_t mount_id; /* as in fdinfo; that of the internal mount may be 0 */
		uint64_t device;   /* st_dev */
	} mounts[SHMEM_MOUNTS];    /* the internal mount; the pod's /dev/shm */
	bool has_pod;
	uint64_t *seen; /* inodes seen in this measurement, sorted */
	size_t n_seen, room;
};

/* Returns 0, or -1 with errno. */
int shmem_open(struct shmem *s);
/* Adds the pod's /dev/shm, by a descriptor of its root. Returns 0, or -1 with errno. */
int shmem_add_pod(struct shmem *s, int fd);
void shmem_begin(struct shmem *s); /* begins a measurement */

/* Returns the bytes of such files that a process has open or mapped and that no process before
 * it had; *ret_all: with those that others had. dir_fd: the directory of the process; thread_fd:
 * that of a thread that has not ended, or dir_fd. */
uint64_t shmem_of(struct shmem *s, int dir_fd, int thread_fd, pid_t pid, uint64_t *ret_all);

/* Returns the bytes of the System V segments that this supervisor has created (the creator in
 * proc(5), sysvipc/shm) and that no process has attached; in memory or in swap space. */
uint64_t shmem_detached(int proc_fd, pid_t supervisor);

#endif
