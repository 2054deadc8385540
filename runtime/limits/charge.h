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

struct charge {
	uint64_t anon;
	uint64_t shmem;
	/* An exact look: who has most. pid 0: nobody has anything. */
	struct proc_id largest;
	uint64_t largest_bytes;
};

/* passed_over: a process that is on its way out, of which nothing is counted; pid 0: none. Return
 * 0, or -1 when processes came and went so fast that some may be missing; what was seen is there.
 */
int charge_quick(struct charge_place *at, const struct proc_id *passed_over, struct charge *ret);
int charge_exact(struct charge_place *at, const struct proc_id *passed_over, struct charge *ret);

#endif
