/* SPDX-License-Identifier: Apache-2.0
 *
 * What a container has used and uses, without a cgroup that counts it: the one source for `events`,
 * for a shim's metrics and for limits.
 *
 * What has ended is counted. The kernel adds the times and the bytes of a process to those of the
 * one that waits for it (wait(2); cutime in proc(5)), so the sum over everything below the
 * supervisor, with what each has inherited in that way, loses nothing when a process ends; one that
 * nobody has waited for yet is still there. Only a process whose parent ignores SIGCHLD takes what
 * it has used with it: what was seen of it at the look before is kept then, the rest is lost.
 */
#ifndef SANDLOCK_LIMITS_USAGE_H
#define SANDLOCK_LIMITS_USAGE_H

#include <stdint.h>

#include "runtime/members/members.h"

/* They never decrease. */
enum usage_counter {
	USAGE_USER_NS, /* processor time in user mode, of a resolution of a tick (10 ms) */
	USAGE_SYSTEM_NS,
	USAGE_READ_BYTES, /* from storage, as read_bytes in proc(5) */
	USAGE_WRITE_BYTES,
	USAGE_COUNTERS,
};

struct usage_now {
	uint64_t counters[USAGE_COUNTERS];
	uint32_t n_processes; /* of members */
	uint32_t n_tasks;     /* threads of them, and zombies, as a pids cgroup counts */
};

/* Between two looks; zeros at first. */
struct usage_meter {
	uint64_t sure[USAGE_COUNTERS]; /* totals of the last look that nothing disturbed */
	uint64_t told[USAGE_COUNTERS];
	uint64_t lost[USAGE_COUNTERS]; /* of processes that nobody has waited for */
};

/* sums: what is to be seen now. steady: no process came or went meanwhile, so a sum that is smaller
 * than before has lost something; otherwise it may be counted at its old place or at none. */
void usage_count(struct usage_meter *u, const uint64_t sums[USAGE_COUNTERS], bool steady,
	uint64_t ret[USAGE_COUNTERS]);

/* Looks. What cannot be found out is as it was told before. */
void usage_look(struct usage_meter *u, const struct members *m, struct usage_now *ret);

/* Pages that a process has for its own, as far as that can be told quickly: what forks share
 * counts. false: nothing is known, because it is a zombie or its first thread has ended. */
bool usage_own_pages(int dir_fd, uint64_t *ret);
/* Then another thread may tell: its directory, or -1: it is a zombie. */
int usage_open_thread(int dir_fd);

/* Of one process. anon, shared memory (tmpfs, memfd, System V) and files are shares: a page that
 * several processes have counts a part for each (Pss in proc(5)). rss counts it for each. */
struct usage_memory {
	uint64_t anon;
	uint64_t shmem;
	uint64_t file;
	uint64_t rss;
};

/* dir_fd: of proc_open_dir(). Costs some 20 microseconds for each MiB. Returns 0, or -1. */
int usage_memory(int dir_fd, struct usage_memory *ret);

#endif
