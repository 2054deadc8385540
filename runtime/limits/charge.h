/* SPDX-License-Identifier: Apache-2.0
 *
 * What memory a container is charged with: anonymous pages, page tables, and shared memory: its own
 * tmpfs mounts and the files without a name that its processes have open or mapped
 * (memfd_create(2), shared mappings, System V segments that are attached). Each page is counted
 * once, what is only reserved is not, and the page cache of files is the machine's.
 *
 * The quick look takes what each process has for its own, which counts what a fork shares for each;
 * the exact one asks for shares (Pss in proc(5)), at 20 microseconds for each MiB.
 */
#ifndef SANDLOCK_LIMITS_CHARGE_H
#define SANDLOCK_LIMITS_CHARGE_H

#include "runtime/limits/shmem.h"
#include "runtime/members/members.h"

#define CHARGE_TMPFS_MAX 16

struct charge_place {
	struct members members;          /* of the container */
	int tmpfs_fds[CHARGE_TMPFS_MAX]; /* the container's own; owned */
	size_t n_tmpfs;
	struct shmem shmem;
};

/* So many processes are known by themselves, the largest ones. */
#define CHARGE_ROWS_MAX 64

struct charge_row {
	struct proc_id id;
	uint64_t bytes; /* what would be free without it, at most */
};

struct charge {
	uint64_t anon;
	uint64_t shmem;
	struct charge_row rows[CHARGE_ROWS_MAX]; /* of an exact look; the largest first */
	size_t n_rows;
};

/* Those that are on their way out: nothing of them is counted. */
struct charge_dying {
	struct proc_id ids[CHARGE_ROWS_MAX];
	size_t n;
};

/* Return 0, or -1 when processes came and went so fast that some may be missing; what was seen is
 * there. */
int charge_quick(struct charge_place *at, const struct charge_dying *dying, struct charge *ret);
int charge_exact(struct charge_place *at, const struct charge_dying *dying, struct charge *ret);

#endif
