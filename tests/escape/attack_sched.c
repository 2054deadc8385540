/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits and scheduling of other processes. Landlock restricts none of these calls, so the
 * system-call filter or the supervisor has to. The values do no harm: a limit set to itself, a nice
 * value of the test's own process.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/escape/attack.h"
#include "tests/escape/numbers.h"

#define IOPRIO_IDLE (3 << 13)

static int sched_prlimit_read(struct trial *t, char **args)
{
	struct rlimit old;

	(void)t;
	return (int)syscall(SYS_prlimit64, arg_number(args[0]), RLIMIT_NOFILE, NULL, &old);
}

static int sched_prlimit_write(struct trial *t, char **args)
{
	struct rlimit old = { 64, 64 };

	(void)t;
	return (int)syscall(SYS_prlimit64, arg_number(args[0]), RLIMIT_NOFILE, &old, NULL);
}

static int who_of(const char *word)
{
	if (strcmp(word, "group") == 0)
		return PRIO_PGRP;
	return strcmp(word, "user") == 0 ? PRIO_USER : PRIO_PROCESS;
}

static int sched_setpriority(struct trial *t, char **args)
{
	if (become_uid(args[2]) < 0)
		return trial_fail(t, "setuid");
	return (int)syscall(SYS_setpriority, who_of(args[0]), arg_number(args[1]), 7);
}

/* ioprio counts from one: IOPRIO_WHO_PROCESS, _PGRP, _USER. */
static int sched_ioprio(struct trial *t, char **args)
{
	if (become_uid(args[2]) < 0)
		return trial_fail(t, "setuid");
	return (int)syscall(SYS_ioprio_set, who_of(args[0]) + 1, arg_number(args[1]), IOPRIO_IDLE);
}

static int sched_affinity(struct trial *t, char **args)
{
	unsigned long mask = 1;

	if (become_uid(args[1]) < 0)
		return trial_fail(t, "setuid");
	return (int)syscall(SYS_sched_setaffinity, arg_number(args[0]), sizeof(mask), &mask);
}

static int sched_policy(struct trial *t, char **args)
{
	struct sched_param p = { 0 };

	if (become_uid(args[1]) < 0)
		return trial_fail(t, "setuid");
	return (int)syscall(SYS_sched_setscheduler, arg_number(args[0]), SCHED_BATCH, &p);
}

static int sched_param(struct trial *t, char **args)
{
	struct sched_param p = { 0 };

	if (become_uid(args[1]) < 0)
		return trial_fail(t, "setuid");
	return (int)syscall(SYS_sched_setparam, arg_number(args[0]), &p);
}

struct attributes {
	unsigned int size;
	unsigned int policy;
	unsigned long flags;
	int nice;
	unsigned int priority;
	unsigned long runtime, deadline, period;
};

static int sched_attributes(struct trial *t, char **args)
{
	struct attributes a = { .size = sizeof(a), .policy = SCHED_BATCH, .nice = 3 };

	if (become_uid(args[1]) < 0)
		return trial_fail(t, "setuid");
	return (int)syscall(SYS_sched_setattr, arg_number(args[0]), &a, 0);
}

static int sched_read(struct trial *t, char **args)
{
	(void)t;
	return syscall(SYS_sched_getscheduler, arg_number(args[0])) < 0 ? -1 : 0;
}

static int sched_read_affinity(struct trial *t, char **args)
{
	unsigned long mask[16];

	(void)t;
	return syscall(SYS_sched_getaffinity, arg_number(args[0]), sizeof(mask), mask) < 0 ? -1 : 0;
}

static int sched_getpriority(struct trial *t, char **args)
{
	(void)t;
	return syscall(SYS_getpriority, PRIO_PROCESS, arg_number(args[0])) < 0 ? -1 : 0;
}

/* Of a process by its number (clock_getcpuclockid(3)), by every call that takes one. */
static int sched_clock(struct trial *t, char **args)
{
	const clockid_t id = (clockid_t)(~(unsigned int)arg_number(args[1]) << 3 | 2);
	const char *call = args[0];
	struct timespec ts = { 0 };
	timer_t timer;

	if (strcmp(call, "read") == 0)
		return (int)syscall(SYS_clock_gettime, id, &ts);
	if (strcmp(call, "resolution") == 0)
		return (int)syscall(SYS_clock_getres, id, &ts);
	if (strcmp(call, "sleep") == 0)
		return (int)syscall(SYS_clock_nanosleep, id, TIMER_ABSTIME, &ts, NULL);
	if (strcmp(call, "timer") == 0)
		return (int)syscall(SYS_timer_create, id, NULL, &timer);
	return trial_fail(t, call);
}

const struct attack attacks_sched[] = {
	{ "cpu-clock", 2, sched_clock },
	{ "prlimit-read", 1, sched_prlimit_read },
	{ "prlimit-write", 1, sched_prlimit_write },
	{ "setpriority", 3, sched_setpriority },
	{ "ioprio", 3, sched_ioprio },
	{ "affinity", 2, sched_affinity },
	{ "scheduler", 2, sched_policy },
	{ "sched-param", 2, sched_param },
	{ "sched-attr", 2, sched_attributes },
	{ "sched-read", 1, sched_read },
	{ "affinity-read", 1, sched_read_affinity },
	{ "getpriority", 1, sched_getpriority },
	{ NULL, 0, NULL },
};
