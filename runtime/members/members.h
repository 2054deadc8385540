/* SPDX-License-Identifier: Apache-2.0
 *
 * Which processes belong to a container, without a cgroup to ask: one answer for ps, stats, limits,
 * priorities, sockets, and for ending all of them. Whoever asks does not read /proc himself. To
 * signal everybody at once is init's, by kill(-1) within the domain, which misses nobody.
 *
 * How a process is told from others is the backend's, a function of one process. That it has called
 * setsid(2), has been forked twice, has executed another program or none yet, or that its first
 * thread has ended changes nothing. A zombie has nothing left that could tell, and is none.
 *
 * A process is its directory below /proc (proc(5)), held open while it is looked at: whatever is
 * read there is of this one, also when its number has become another's. What outlives the look is
 * its number with its start time (struct proc_id), or that directory.
 */
#ifndef SANDLOCK_MEMBERS_MEMBERS_H
#define SANDLOCK_MEMBERS_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/err.h"
#include "runtime/base/proc.h"

/* While it is looked at. */
struct member {
	int dir_fd; /* of proc_open_dir() */
	pid_t pid;
};

struct members;

/* A backend: whether a process that is none of the runtime's own belongs to the container. The
 * answer is of the one behind p->dir_fd; a backend that asks by number has to make sure
 * (proc_read_stat_at() succeeds afterwards) that it asked of this one. */
typedef bool members_test(const struct members *m, const struct member *p);

/* By the container's tree: the root directory of the process is on one of its mounts. The ids of
 * mounts are unique for the life of the machine, and a process inside cannot leave them: it can
 * chroot deeper, into another of the same mounts, but never above. Where the tree has a mount
 * namespace, more can be mounted into it later (by a hook, by propagation), and a process can
 * chroot there: so whoever is in that namespace belongs to the container as well. Another container
 * can let a process into its own tree, by a directory descriptor. */
struct members_mounts {
	const uint64_t *ids; /* STATX_MNT_ID_UNIQUE */
	size_t n;
	uint64_t namespace; /* of the container alone (NS_GET_MNTNS_ID); 0: it has none */
};
members_test members_by_mounts; /* m->of: struct members_mounts */

struct members {
	int proc_fd; /* the host's /proc, readable */
	members_test *test;
	const void *of; /* what it compares with */
	/* The runtime's own two, which stand in the tree but are not of it; pid 0: gone. */
	struct proc_id supervisor;
	struct proc_id init;
	/* Where init was killed, its children become the supervisor's: those of its children are
	 * members too, whatever the backend says, that are under so many filters and not older. */
	struct {
		pid_t parent; /* 0: nobody's are */
		unsigned long filters;
		uint64_t since; /* as proc_id.start */
	} adopted;
};

/* Of a process or of one of its threads. */
bool members_has(const struct members *m, pid_t pid);

/* How many filters the caller is under; ULONG_MAX when it cannot be told. */
unsigned long members_own_filters(const struct members *m);

enum members_where {
	MEMBERS_ANYWHERE, /* every process of the machine is looked at: 1 to 2 us each */
	/* The descendants of the supervisor are: 7 to 9 us each, and other people's processes make
	 * it no dearer. Who was put among the members from outside (nsenter(1)) is not found. */
	MEMBERS_BELOW_SUPERVISOR,
};

/* Calls fn for each member and returns how many there were. It may take p->dir_fd (take_fd()), to
 * look at this process again without looking for it. -1 with errno: what was called is no answer,
 * somebody may have been left out. For BELOW_SUPERVISOR this is EAGAIN when the descendants changed
 * meanwhile or are too many; then ask again, or ANYWHERE. */
typedef void members_fn(struct member *p, void *ctx);
int members_each(const struct members *m, enum members_where where, members_fn *fn, void *ctx);

/* Calls fn for each thread of a process, the first one first, until it returns false. Returns 0, or
 * -1 with errno. A thread that is made meanwhile may be left out. */
int members_each_thread(int dir_fd, bool (*fn)(int task_fd, const char *tid, void *ctx), void *ctx);

/* How many processes and threads are below init (where there is none, below the supervisor),
 * zombies too. Every process of the machine is looked at. Returns 0, or -1 with errno. */
int members_count_tasks(const struct members *m, uint64_t *ret);

/* A socket by its number, as sock_diag(7) has it. */
struct members_socket {
	uint64_t inode;
	bool held;
};

/* Sorts the list and marks its sockets that members hold. Who is no descendant of the supervisor
 * need not be found. Descriptors are looked through without stopping anybody: what a member closes
 * meanwhile, it no longer holds. Returns whether all are marked; false also when /proc could not be
 * read. */
bool members_find_sockets(const struct members *m, struct members_socket *list, size_t n);

/* Kills until none is left, at most timeout_ms. Returns how many were left, or -1. */
int members_kill(const struct members *m, int timeout_ms);

#endif
