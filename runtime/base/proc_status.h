/* SPDX-License-Identifier: Apache-2.0
 *
 * /proc/pid/status of a process or a thread (proc_pid_status(5)).
 */
#ifndef SANDLOCK_BASE_PROC_STATUS_H
#define SANDLOCK_BASE_PROC_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROC_GROUPS_MAX 256

struct proc_ids {
	uint32_t real, effective, saved, files;
};

struct proc_status {
	pid_t tgid;
	unsigned int threads;
	struct proc_ids uid, gid;
	uint64_t effective, permitted; /* capabilities */
	/* signals; shared: pending for the whole process */
	uint64_t pending, shared, blocked, ignored;
	mode_t umask;
	bool more_groups; /* there are more groups than PROC_GROUPS_MAX */
	size_t n_groups;
	gid_t groups[PROC_GROUPS_MAX];
};

/* proc_fd is a directory descriptor of the host's /proc. Returns 0, or -1 with errno: ENOENT and
 * ESRCH when there is no such process, EBADMSG when a line is missing. */
int proc_read_status(int proc_fd, pid_t tid, struct proc_status *ret);
int proc_parse_status(const char *text, struct proc_status *ret);

#endif
