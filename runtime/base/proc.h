/* SPDX-License-Identifier: Apache-2.0
 *
 * Processes as the host's /proc shows them (proc(5)). A process is identified by its pid and its
 * start time, because its pid can be reused.
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
	/* of the children that it has waited for, and of their children */
	uint64_t waited_user_ticks;
	uint64_t waited_system_ticks;
	uint64_t start;
	uint64_t rss_pages;
	uint32_t n_threads;
};

/* proc_fd is a directory descriptor of the host's /proc. Returns 0, or -1 with errno
 * (ENOENT and ESRCH: no such process). */
int proc_read_stat(int proc_fd, pid_t pid, struct proc_stat *ret);

/* Returns the number after the first occurrence of "name" in a text of proc(5); 0 when there is
 * none. */
uint64_t proc_number_in(const char *text, const char *name);

/* Opens the directory of a process or thread; name is its number. Everything that is read below it
 * is of this process only: after its end, reading fails with ESRCH, even if the number is reused.
 * The directory of a process can also be used with pidfd_send_signal(2). Returns the descriptor, or
 * -1 with errno. */
int proc_open_dir(int proc_fd, const char *name);

/* proc_read_stat() by the directory of the process. */
int proc_read_stat_at(int dir_fd, struct proc_stat *ret);

int proc_identify(int proc_fd, pid_t pid, struct proc_id *ret);

/* Whether the recorded process is alive; a zombie is not. If it cannot be found out, the answer is
 * true: if a living container were taken for dead, it would be lost. */
bool proc_alive(int proc_fd, const struct proc_id *id);

/* Opens a pidfd of exactly this process. Returns -1 with errno; ESRCH: the process is gone. */
int proc_pidfd(int proc_fd, const struct proc_id *id);

/* Sends a signal to exactly this process. Returns 0, or -1 with errno. */
int proc_signal(int proc_fd, const struct proc_id *id, int sig);

/* Waits until the process has ended. Returns false after the timeout, and when it is not possible
 * to wait. */
bool proc_wait_end(int proc_fd, const struct proc_id *id, int timeout_ms);

/* Duplicates a descriptor of another process (pidfd_getfd(2)). It must be a child of this process
 * that is not reaped yet, so that its number cannot be reused. Returns the duplicate, or -1 with
 * errno. */
int proc_fetch_fd(pid_t pid, int fd);

/* Whether this process is not in the machine's first user namespace (user_namespaces(7)), so its
 * root user has no rights over other users' objects. false when it cannot be found out. */
bool proc_in_user_namespace(void);

/* Opens /proc for reading (O_PATH is not enough to list directories). Returns the descriptor, or -1
 * with errno. */
int proc_open(void);

#endif
