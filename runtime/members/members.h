/* SPDX-License-Identifier: Apache-2.0
 *
 * Who belongs to a container, without a cgroup to ask: a process belongs to it when its
 * root directory is on one of the mounts of the container's tree. The ids of these mounts
 * are unique for the life of the machine, and a process inside cannot leave them: it can
 * chroot deeper, into another of the same mounts, but never above. Where the tree has a mount
 * namespace, more can be mounted into it later (by a hook, by propagation), and a process can
 * chroot there: so whoever is in that namespace belongs to the container as well. Another
 * container can let a process into its own tree, by a directory descriptor; but whose child it
 * is it cannot change.
 */
#ifndef SANDLOCK_MEMBERS_MEMBERS_H
#define SANDLOCK_MEMBERS_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/err.h"

struct members {
	int proc_fd; /* the host's /proc, readable */
	const uint64_t *mount_ids;
	size_t n_mount_ids;
	uint64_t mount_namespace; /* of the container alone; 0: it has none */
	pid_t except[2]; /* supervisor and init, which stand in the tree but are not of it */
	/* Where init was killed, its children become the supervisor's: those of its children are
	 * members too that are under so many filters and not older. 0: nobody's are. */
	pid_t parent;
	unsigned long filters;
	uint64_t since; /* as proc_id.start */
};

bool members_has(const struct members *m, pid_t pid);

/* How many filters the caller is under; ULONG_MAX when it cannot be told. */
unsigned long members_own_filters(const struct members *m);

/* Calls fn for each member (by the number of its process, whose first thread may have ended; one
 * of which no thread is left has no root and is not seen) and returns how many there were, or -1
 * with errno when /proc could not be read. */
int members_each(const struct members *m, void (*fn)(pid_t pid, void *ctx), void *ctx);

/* A socket by its number, as sock_diag(7) has it. */
struct members_socket {
	uint64_t inode;
	bool held;
};

/* Sorts the list and marks its sockets that members hold. Who has been put into the tree from
 * outside (nsenter(1)) and is no descendant of the supervisor need not be found. Descriptors are
 * looked through without stopping anybody: what a member closes meanwhile, it no longer holds.
 * Returns whether all are marked; false also when /proc could not be read. */
bool members_find_sockets(const struct members *m, struct members_socket *list, size_t n);

/* Kills until none is left, at most timeout_ms. Returns how many were left, or -1. */
int members_kill(const struct members *m, int timeout_ms);

#endif
