/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that take a process id.
 */
#include "tests/helpers/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ioprio.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL
#endif

static long number(const char *s)
{
	return strtol(s, NULL, 0);
}

static long by_pidfd(long pid, long sig, unsigned int flags)
{
	long fd = syscall(SYS_pidfd_open, pid, flags);

	return fd < 0 ? fd : syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0);
}

/* signal CALL PID SIGNAL [THREAD]: sends the signal with that call. */
int probe_signal(int argc, char **argv)
{
	const char *call = argc > 0 ? argv[0] : "";
	long pid = argc > 1 ? number(argv[1]) : 0, sig = argc > 2 ? number(argv[2]) : 0;
	long tid = argc > 3 ? number(argv[3]) : pid;
	siginfo_t info = { .si_signo = (int)sig, .si_code = SI_QUEUE };

	info.si_pid = 4711;
	if (strcmp(call, "kill") == 0)
		return probe_result(syscall(SYS_kill, pid, sig));
	if (strcmp(call, "tkill") == 0)
		return probe_result(syscall(SYS_tkill, tid, sig));
	if (strcmp(call, "tgkill") == 0)
		return probe_result(syscall(SYS_tgkill, pid, tid, sig));
	if (strcmp(call, "queue") == 0)
		return probe_result(syscall(SYS_rt_sigqueueinfo, pid, sig, &info));
	if (strcmp(call, "tgqueue") == 0)
		return probe_result(syscall(SYS_rt_tgsigqueueinfo, pid, tid, sig, &info));
	if (strcmp(call, "pidfd") == 0)
		return probe_result(by_pidfd(pid, sig, 0));
	if (strcmp(call, "pidfd-thread") == 0)
		return probe_result(by_pidfd(pid, sig, PIDFD_THREAD));
	info.si_code = SI_USER;
	if (strcmp(call, "forge") == 0)
		return probe_result(syscall(SYS_rt_sigqueueinfo, pid, sig, &info));
	if (strcmp(call, "nowhere") == 0)
		return probe_result(syscall(SYS_rt_sigqueueinfo, pid, sig, NULL));
	return 2;
}

static void say(const char *name, long r, const void *answer, size_t n)
{
	printf("%s %s", name, r < 0 ? strerrorname_np(errno) : "");
	if (r >= 0)
		printf("%ld", r);
	for (size_t i = 0; r >= 0 && i < n; i++)
		printf(" %02x", ((const uint8_t *)answer)[i]);
	putchar('\n');
}

/* ask PID: prints what calls return about a process. */
int probe_ask(int argc, char **argv)
{
	long pid = argc > 0 ? number(argv[0]) : 0, r;
	uint8_t b[2048];

	say("getpgid", syscall(SYS_getpgid, pid), b, 0);
	say("getsid", syscall(SYS_getsid, pid), b, 0);
	say("getpriority", syscall(SYS_getpriority, PRIO_PROCESS, pid), b, 0);
	say("ioprio_get", syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, pid), b, 0);
	say("scheduler", syscall(SYS_sched_getscheduler, pid), b, 0);
	memset(b, 0xff, sizeof(b));
	say("param", syscall(SYS_sched_getparam, pid, b), b, 8);
	memset(b, 0xff, sizeof(b));
	say("interval", syscall(SYS_sched_rr_get_interval, pid, b), b, 24);
	memset(b, 0xff, sizeof(b));
	r = syscall(SYS_sched_getaffinity, pid, sizeof(b), b);
	say("affinity", r, b, r < 0 ? 0 : (size_t)r + 1);
	say("affinity of one byte", syscall(SYS_sched_getaffinity, pid, 1, b), b, 0);
	say("affinity nowhere", syscall(SYS_sched_getaffinity, pid, sizeof(b), NULL), b, 0);
	memset(b, 0xff, sizeof(b));
	say("attr", syscall(SYS_sched_getattr, pid, b, 64, 0), b, 64);
	say("attr of nothing", syscall(SYS_sched_getattr, pid, b, 0, 0), b, 0);
	say("attr with flags", syscall(SYS_sched_getattr, pid, b, 64, 1), b, 0);
	r = ~pid << 3 | 2; /* its processor time (clock_getcpuclockid(3)) */
	say("cpu time", syscall(SYS_clock_gettime, r, b), b, 0);
	say("cpu time nowhere", syscall(SYS_clock_gettime, r, NULL), b, 0);
	say("cpu time of no kind", syscall(SYS_clock_gettime, r | 7, b), b, 0);
	memset(b, 0xff, sizeof(b));
	say("cpu time in", syscall(SYS_clock_getres, r, b), b, 16);
	say("cpu time in, nowhere", syscall(SYS_clock_getres, r, NULL), b, 0);
	return 0;
}

/* change PID: tries the calls that would change, trace or wait for a process. */
int probe_change(int argc, char **argv)
{
	long pid = argc > 0 ? number(argv[0]) : 0;
	struct rlimit l = { 100, 100 };
	struct iovec v = { &l, sizeof(l) };
	cpu_set_t set;
	int zero = 0;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	say("prlimit", syscall(SYS_prlimit64, pid, RLIMIT_NOFILE, &l, NULL), NULL, 0);
	say("setpriority", syscall(SYS_setpriority, PRIO_PROCESS, pid, 1), NULL, 0);
	say("ioprio_set", syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, pid, 0x4007), NULL, 0);
	say("setscheduler", syscall(SYS_sched_setscheduler, pid, SCHED_OTHER, &zero), NULL, 0);
	say("setparam", syscall(SYS_sched_setparam, pid, &zero), NULL, 0);
	say("setaffinity", syscall(SYS_sched_setaffinity, pid, sizeof(set), &set), NULL, 0);
	say("setpgid", syscall(SYS_setpgid, pid, 0), NULL, 0);
	say("ptrace", syscall(SYS_ptrace, PTRACE_ATTACH, pid, 0, 0), NULL, 0);
	say("vm_readv", syscall(SYS_process_vm_readv, pid, &v, 1, &v, 1, 0), NULL, 0);
	say("vm_writev", syscall(SYS_process_vm_writev, pid, &v, 1, &v, 1, 0), NULL, 0);
	say("wait", syscall(SYS_wait4, pid, NULL, WNOHANG, NULL), NULL, 0);
	say("waitid", syscall(SYS_waitid, P_PID, pid, NULL, WEXITED | WNOHANG, NULL), NULL, 0);
	say("group", syscall(SYS_getpriority, PRIO_PGRP, pid), NULL, 0);
	say("ioprio of a group", syscall(SYS_ioprio_get, IOPRIO_WHO_PGRP, pid), NULL, 0);
	return 0;
}

/* signalled SIGNAL…: blocks the signals, prints that, and prints each one that arrives. SIGTERM
 * ends it. */
int probe_signalled(int argc, char **argv)
{
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	for (int i = 0; i < argc; i++)
		sigaddset(&set, (int)number(argv[i]));
	sigprocmask(SIG_BLOCK, &set, NULL);
	puts("ready");
	while (sigwaitinfo(&set, &info) >= 0 && info.si_signo != SIGTERM)
		printf("%d %d %d %u\n", info.si_signo, info.si_code, info.si_pid, info.si_uid);
	return 0;
}
