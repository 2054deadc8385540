/* SPDX-License-Identifier: Apache-2.0
 *
 * Processes as the host's /proc shows them (proc(5)). A process is identified by its pid
 * *and* its start time: a bare pid is somebody else's after it was recycled.
 */
#ifndef SANDLOCK_BASE_PROC_H
#define SANDLOCK_BASE_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_id {
	pid_t pid;      /* 0: none */
	uint64_t start; /* clock ticks since boot, /proc/pid/stat field 22 */
};

struct proc_stat {
	char state;
	pid_t ppid;
	uint64_t user_ticks;
	uint64_t system_ticks;
	uint64_t waited_user_ticks; /* of children that it has waited for, and of theirs */
	uint64_t waited_system_ticks;
	uint64_t start;
	uint64_t rss_pages;
	uint32_t n_threads;
};

/* proc_fd is a directory descriptor of the host's /proc. Returns 0, or -1 with errno
 * (ENOENT and ESRCH: no such process). */
int proc_read_stat(int proc_fd, pid_t pid, struct proc_stat *ret);

/* The number behind the first "name" in a text of proc(5), 0 when there is none. */
uint64_t proc_number_in(const char *text, const char *name);

/* Opens the directory of a process or of a thread, name being its number. What is read below it is
 * of this one alone, whoever gets the number when it has ended: then reading fails with ESRCH. That
 * of a process serves pidfd_send_signal(2) as well. Returns the descriptor, or -1 with errno. */
int proc_open_dir(int proc_fd, const char *name);

/* proc_read_stat() of the process that such a directory is of. */
int proc_read_stat_at(int dir_fd, struct proc_stat *ret);

int proc_identify(int proc_fd, pid_t pid, struct proc_id *ret);

/* Alive and the same process as recorded; a zombie is not alive. When it can't be found out
 * the answer is yes: taking a living container for a dead one would lose it. */
bool proc_alive(int proc_fd, const struct proc_id *id);

/* A pidfd of exactly that process, or -1; ESRCH: it is gone. */
int proc_pidfd(int proc_fd, const struct proc_id *id);

/* Sends a signal to exactly that process. Returns 0, or -1 with errno. */
int proc_signal(int proc_fd, const struct proc_id *id, int sig);

/* Waits until the process has ended (become a zombie or gone). Returns false on timeout,
 * and when it can't be waited for. */
bool proc_wait_end(int proc_fd, const struct proc_id *id, int timeout_ms);

/* A duplicate of a descriptor of another process (pidfd_getfd(2)): of a child of ours, whose
 * number cannot become somebody else's. Returns it, or -1 with errno. */
int proc_fetch_fd(pid_t pid, int fd);

/* This process is not in the machine's first user namespace (user_namespaces(7)): its root has no
 * rights over what is not its own. No when it cannot be found out. */
bool proc_in_user_namespace(void);

/* Opens /proc (O_PATH would not do for reading directories). Returns fd or -1. */
int proc_open(void);

#endif
