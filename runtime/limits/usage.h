/* SPDX-License-Identifier: Apache-2.0
 *
 * What a container has used and uses, without a cgroup that counts it: for `events`, for the
 * shim's metrics and for limits.
 *
 * Processes that have ended are included. When a process is reaped, the kernel adds its times
 * and bytes to those of the process that reaps it (wait(2); cutime in proc(5)). So the sum over
 * all processes below the supervisor, with these inherited times, loses nothing; a zombie is
 * still in it. Only a process whose parent ignores SIGCHLD is not reaped: what it had used at
 * the last measurement is kept. The rest is lost, unless usage_correct() knows better.
 */
#ifndef SANDLOCK_LIMITS_USAGE_H
#define SANDLOCK_LIMITS_USAGE_H

#include <stdint.h>

#include "runtime/members/members.h"

/* They never decrease. */
enum usage_counter {
	USAGE_USER_NS, /* processor time in user mode, in steps of a tick (10 ms) */
	USAGE_SYSTEM_NS,
	USAGE_READ_BYTES, /* from storage, as read_bytes in proc(5) */
	USAGE_WRITE_BYTES,
	USAGE_COUNTERS,
};

struct usage_now {
	uint64_t counters[USAGE_COUNTERS];
	uint32_t n_processes; /* of the container */
	uint32_t n_tasks;     /* their threads, and zombies, as a pids cgroup counts */
};

/* State between two measurements; start with zeros. */
struct usage_meter {
	uint64_t sure[USAGE_COUNTERS]; /* totals of the last steady measurement */
	uint64_t told[USAGE_COUNTERS];
	uint64_t lost[USAGE_COUNTERS]; /* of processes that ended without being reaped */
};

/* sums: the current values. steady: no process was created or ended meanwhile, so that a smaller
 * sum than before means a loss. Without it, a process may have been counted neither itself nor
 * in its parent. */
void usage_count(struct usage_meter *u, const uint64_t sums[USAGE_COUNTERS], bool steady,
	uint64_t ret[USAGE_COUNTERS]);

/* Corrects the totals by the exact processor time (ran.h), which was read before them: what nobody
 * has waited for is added, as time in user mode. blur_ns: by how much the totals may be too small
 * because they are in ticks. */
void usage_correct(
	struct usage_meter *u, uint64_t exact_ns, uint64_t blur_ns, uint64_t ret[USAGE_COUNTERS]);

/* Measures. What cannot be read keeps its last value. exact_ns: see above; 0: not known. */
void usage_look(
	struct usage_meter *u, const struct members *m, uint64_t exact_ns, struct usage_now *ret);

/* The number of resident pages without files, which is known quickly; pages shared after a fork
 * count fully. Returns false if it is not known: the process is a zombie, or its first thread
 * has ended. */
bool usage_own_pages(int dir_fd, uint64_t *ret);
/* For a process whose first thread has ended: returns the directory of another thread, or -1 if
 * the process is a zombie. */
int usage_open_thread(int dir_fd);

/* The memory of one process. anon, shmem (tmpfs, memfd, System V) and file are proportional: a
 * page of several processes counts as a part for each (Pss in proc(5)). In rss it counts fully
 * for each. */
struct usage_memory {
	uint64_t anon;
	uint64_t shmem;
	uint64_t file;
	uint64_t rss;
};

/* dir_fd: from proc_open_dir(). Takes some 20 microseconds for each MiB. Returns 0, or -1. */
int usage_memory(int dir_fd, struct usage_memory *ret);

#endif
