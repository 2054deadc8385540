/* SPDX-License-Identifier: Apache-2.0
 *
 * The processor time of a container as the kernel's scheduler counts it (perf_event_open(2),
 * PERF_COUNT_SW_TASK_CLOCK with inherit): to the nanosecond, and with the processes that ended
 * without being waited for, whose time is nowhere in /proc. It costs some 20 microseconds for each
 * process that is made, so it is used only where processor time is limited.
 *
 * The kernel stops counting for a process that executes a set-user-ID program or a program that it
 * may not read, so the time is never too large, but may be too small.
 */
#ifndef SANDLOCK_LIMITS_RAN_H
#define SANDLOCK_LIMITS_RAN_H

#include <stdint.h>
#include <sys/types.h>

/* tid: the thread of init that forks, before it has forked. Needs CAP_PERFMON. Returns a
 * descriptor, or -1 with errno. */
int ran_open(pid_t tid);

/* In nanoseconds, of the thread and all that it has forked since; 0: not known. */
uint64_t ran_look(int fd);

#endif
