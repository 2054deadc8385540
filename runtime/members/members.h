/* SPDX-License-Identifier: Apache-2.0
 *
 * Which processes belong to a container, without a cgroup: used for ps, stats, limits,
 * priorities, sockets, and for killing all of them. Other rooms do not read /proc for this. To
 * signal all processes at once, ask init: kill(-1) inside the domain misses none.
 *
 * A backend decides for one process whether it is a member. setsid(2), forking twice, executing
 * another program, or the end of its first thread change nothing. A zombie has nothing left to
 * recognise it by, and is not a member.
 *
 * A process is identified by its directory below /proc (proc(5)), which is open during the
 * check: what is read there is always of this process, even if its pid is reused. To keep a
 * process for longer, store its pid with its start time (struct proc_id), or this descriptor.
 */
#ifndef SANDLOCK_MEMBERS_MEMBERS_H
#define SANDLOCK_MEMBERS_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/err.h"
#include "runtime/base/proc.h"

/* Valid during the call. */
struct member {
	int dir_fd; /* from proc_open_dir() */
	pid_t pid;
};

struct members;

/* A backend: returns whether a process other than supervisor and init belongs to the container.
 * The answer is about the process behind p->dir_fd; a backend that uses the pid has to check
 * afterwards, with proc_read_stat_at(), that this process still existed. */
typedef bool members_test(const struct members *m, const struct member *p);

/* By the container's tree: the root directory of the process is on one of its mounts. The kernel
 * does not reuse the ids of mounts, and a process of the container cannot leave them: it can
 * chroot deeper, into another of these mounts, but never above. If the tree has a mount
 * namespace, more can be mounted into it later (by a hook, by propagation) and a process can
 * chroot there; so every process of that namespace is a member as well. Another container can
 * let a process into its own tree by passing a directory descriptor. */
struct members_mounts {
	const uint64_t *ids; /* STATX_MNT_ID_UNIQUE */
	size_t n;
	uint64_t namespace; /* the container's own (NS_GET_MNTNS_ID); 0: it has none */
};
members_test members_by_mounts; /* m->of is a struct members_mounts */

struct members {
	int proc_fd; /* the host's /proc, readable */
	members_test *test;
	const void *of; /* data for test */
	/* The two processes of the runtime, which have their root in the tree but are no
	 * members; pid 0: none. */
	struct proc_id supervisor;
	struct proc_id init;
	/* For the time after init was killed, when its children become children of the
	 * supervisor. A child of `parent` that has at least `filters` seccomp filters and did
	 * not start before `since` is a member, whatever the backend says. */
	struct {
		pid_t parent; /* 0: this rule is not used */
		unsigned long filters;
		uint64_t since; /* as proc_id.start */
	} adopted;
};

/* pid: a process, or one of its threads. */
bool members_has(const struct members *m, pid_t pid);

/* The number of seccomp filters of the caller; ULONG_MAX if it is not known. */
unsigned long members_own_filters(const struct members *m);

enum members_where {
	MEMBERS_ANYWHERE, /* checks every process of the machine: 1 to 2 us each */
	/* Checks the descendants of the supervisor: 7 to 9 us each, and other processes of the
	 * machine cost nothing. Does not find a process that was moved into the container from
	 * outside (nsenter(1)). */
	MEMBERS_BELOW_SUPERVISOR,
};

/* Calls fn for each member and returns how many there were. fn may take p->dir_fd (take_fd()) to
 * keep the process. Returns -1 with errno if members may have been left out. For
 * MEMBERS_BELOW_SUPERVISOR errno is EAGAIN if the descendants have changed meanwhile or are too
 * many; then call it again, or with MEMBERS_ANYWHERE. */
typedef void members_fn(struct member *p, void *ctx);
int members_each(const struct members *m, enum members_where where, members_fn *fn, void *ctx);

/* Calls fn for each thread of a process, the first thread first, until fn returns false. Returns
 * 0, or -1 with errno. A thread that is created meanwhile may be left out. */
int members_each_thread(int dir_fd, bool (*fn)(int task_fd, const char *tid, void *ctx), void *ctx);

/* For such a function: opens the directory of a thread of the process pid if it has a table of
 * descriptors of its own (clone(2) without CLONE_FILES). Returns the descriptor, or -1. */
int members_open_own_table(pid_t pid, int task_fd, const char *tid);

/* Counts the processes and threads below init (without init, below the supervisor), with
 * zombies. Checks every process of the machine. Returns 0, or -1 with errno. */
int members_count_tasks(const struct members *m, uint64_t *ret);

/* A socket by its inode number, as in sock_diag(7). */
struct members_socket {
	uint64_t inode;
	bool held;
};

/* Sorts the list and marks the sockets that members hold. Members that are not descendants of
 * the supervisor may be missed. Processes are not stopped meanwhile: a socket that a member
 * closes before it is found counts as not held. Returns whether all are marked; false also if
 * /proc could not be read. */
bool members_find_sockets(const struct members *m, struct members_socket *list, size_t n);

/* Kills until no member is left, for at most timeout_ms. Returns how many are left, or -1. */
int members_kill(const struct members *m, int timeout_ms);

#endif
