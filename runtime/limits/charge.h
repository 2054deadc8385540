/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory that a container is charged with: anonymous pages, page tables, and shared memory,
 * which is its own tmpfs mounts, the files without a name that its processes have open or mapped
 * (memfd_create(2), shared mappings, attached System V segments), files of the pod's /dev/shm in
 * the same way, and segments of its own that nobody has attached. Each page counts once.
 * Memory that is only reserved does not count, nor does the page cache of files.
 *
 * The quick measurement adds up the resident pages without files, so that pages shared after a
 * fork count for each process. The exact measurement asks for proportional shares (Pss in
 * proc(5)) and takes 20 microseconds for each MiB.
 */
#ifndef SANDLOCK_LIMITS_CHARGE_H
#define SANDLOCK_LIMITS_CHARGE_H

#include "runtime/limits/activity.h"
#include "runtime/limits/shmem.h"
#include "runtime/members/members.h"

#define CHARGE_TMPFS_MAX 16

struct charge_place {
	struct members members; /* of the container */
	/* tmpfs mounts of the container alone; they belong to this struct */
	int tmpfs_fds[CHARGE_TMPFS_MAX];
	size_t n_tmpfs;
	struct shmem shmem;
	struct activity activity; /* since the last measurement */
};

/* The number of processes that are listed, the largest ones. */
#define CHARGE_ROWS_MAX 512

struct charge_row {
	struct proc_id id;
	uint64_t bytes; /* at most this is freed by its end */
};

struct charge {
	uint64_t anon;
	uint64_t shmem;
	struct charge_row rows[CHARGE_ROWS_MAX]; /* after an exact measurement; the largest first */
	size_t n_rows;
};

/* Processes that were killed and have not ended yet: they do not count. */
struct charge_dying {
	struct proc_id ids[CHARGE_ROWS_MAX];
	size_t n;
};

/* Return 0, or -1 if processes were created or ended so fast that some may be missing. *ret is
 * set in both cases. */
int charge_quick(struct charge_place *at, const struct charge_dying *dying, struct charge *ret);
int charge_exact(struct charge_place *at, const struct charge_dying *dying, struct charge *ret);

#endif
