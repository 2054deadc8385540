/* SPDX-License-Identifier: Apache-2.0
 *
 * Every way to send a signal (signal(7), pidfd_send_signal(2), fcntl(2) F_SETOWN): by
 * pid, tid, group, queue, pidfd, a /proc directory used as a pidfd, and asynchronous I/O
 * that names its target beforehand.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/escape/attack.h"
#include "tests/escape/numbers.h"

#ifndef FIOSETOWN
#define FIOSETOWN 0x8901
#endif

static int signal_kill(struct trial *t, char **args)
{
	(void)t;
	return kill((pid_t)arg_number(args[0]), arg_signal(args[1]));
}

static int signal_tkill(struct trial *t, char **args)
{
	(void)t;
	return (int)syscall(SYS_tkill, arg_number(args[0]), arg_signal(args[1]));
}

static int signal_tgkill(struct trial *t, char **args)
{
	(void)t;
	return (int)syscall(
		SYS_tgkill, arg_number(args[0]), arg_number(args[1]), arg_signal(args[2]));
}

/* si_code below zero and not SI_TKILL: what a process may forge about itself. */
static siginfo_t forged(int number)
{
	siginfo_t info = { .si_signo = number, .si_code = SI_QUEUE };

	info.si_pid = getpid();
	info.si_uid = getuid();
	return info;
}

static int signal_queue(struct trial *t, char **args)
{
	siginfo_t info = forged(arg_signal(args[1]));

	(void)t;
	return (int)syscall(SYS_rt_sigqueueinfo, arg_number(args[0]), info.si_signo, &info);
}

static int signal_tgqueue(struct trial *t, char **args)
{
	siginfo_t info = forged(arg_signal(args[2]));

	(void)t;
	return (int)syscall(SYS_rt_tgsigqueueinfo, arg_number(args[0]), arg_number(args[1]),
		info.si_signo, &info);
}

static int pidfd_kill(struct trial *t, char **args, unsigned int flags)
{
	int fd = (int)syscall(SYS_pidfd_open, arg_number(args[0]), flags);

	if (fd < 0)
		return trial_fail(t, "pidfd_open");
	return (int)syscall(SYS_pidfd_send_signal, fd, arg_signal(args[1]), NULL, 0);
}

static int signal_pidfd(struct trial *t, char **args)
{
	return pidfd_kill(t, args, 0);
}

static int signal_pidfd_thread(struct trial *t, char **args)
{
	return pidfd_kill(t, args, PIDFD_THREAD);
}

/* A directory of procfs is a pidfd as well (pidfd_send_signal(2)). */
static int signal_procdir(struct trial *t, char **args)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%s", args[0]);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return trial_fail(t, "open");
	return (int)syscall(SYS_pidfd_send_signal, fd, arg_signal(args[1]), NULL, 0);
}

/* The kernel takes the signal as an int: rubbish in the upper half changes nothing for it,
 * and must not for a filter. */
static int signal_high(struct trial *t, char **args)
{
	unsigned long number = (1UL << 32) | (unsigned int)arg_signal(args[0]);
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return trial_fail(t, "socketpair");
	return (int)syscall(SYS_fcntl, pair[0], F_SETSIG | (1UL << 32), number);
}

/* The same for a pid in a register. */
static int signal_kill_high(struct trial *t, char **args)
{
	unsigned long pid = (1UL << 32) | (unsigned int)arg_number(args[0]);

	(void)t;
	return (int)syscall(SYS_kill, pid, arg_signal(args[1]));
}

static int owner_set(int fd, const char *how, pid_t pid)
{
	struct f_owner_ex owner = { .pid = pid };

	if (strcmp(how, "own") == 0)
		return fcntl(fd, F_SETOWN, pid);
	if (strcmp(how, "group") == 0)
		return fcntl(fd, F_SETOWN, -pid);
	if (strcmp(how, "ioctl") == 0)
		return ioctl(fd, FIOSETOWN, &pid);
	if (strcmp(how, "siocspgrp") == 0)
		return ioctl(fd, 0x8902 /* SIOCSPGRP */, &pid);
	owner.type = strcmp(how, "tid") == 0 ? F_OWNER_TID : F_OWNER_PID;
	return fcntl(fd, F_SETOWN_EX, &owner);
}

/* Input arriving on a socket signals an owner that was named before. Reports `ok` when
 * every call went through; whether the target felt it is the driver's to see. Signal 0
 * leaves the default, SIGIO, which ends a process too. */
static int signal_owner(struct trial *t, char **args)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return trial_fail(t, "socketpair");
	if (owner_set(pair[0], args[0], (pid_t)arg_number(args[1])) < 0)
		return trial_fail(t, "setown");
	if (fcntl(pair[0], F_SETSIG, arg_signal(args[2])) < 0)
		return trial_fail(t, "setsig");
	if (fcntl(pair[0], F_SETFL, O_ASYNC) < 0)
		return trial_fail(t, "async");
	if (write(pair[1], "x", 1) != 1)
		return trial_fail(t, "write");
	usleep(20000);
	return 0;
}

/* The positive twin: signals inside the container work. */
static int signal_own_child(struct trial *t, char **args)
{
	int status, number = arg_signal(args[0]);
	pid_t pid = fork();

	if (pid < 0)
		return trial_fail(t, "fork");
	if (pid == 0) {
		pause();
		_exit(0);
	}
	if (kill(pid, number) < 0)
		return -1;
	if (waitpid(pid, &status, 0) != pid)
		return trial_fail(t, "wait");
	return WIFSIGNALED(status) && WTERMSIG(status) == number ? 0 : trial_say(t, "alive");
}

/* What the C library's widest mask leaves open. */
static int signal_fillset(struct trial *t, char **args)
{
	unsigned long long mask = 0;
	sigset_t all;

	(void)args;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	if (syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof(mask)) < 0)
		return trial_fail(t, "sigprocmask");
	return trial_say(t, "blocked:%016llx", mask);
}

const struct attack attacks_signals[] = {
	{ "sigfillset", 0, signal_fillset },
	{ "kill", 2, signal_kill },
	{ "tkill", 2, signal_tkill },
	{ "tgkill", 3, signal_tgkill },
	{ "sigqueue", 2, signal_queue },
	{ "tgsigqueue", 3, signal_tgqueue },
	{ "pidfd-kill", 2, signal_pidfd },
	{ "pidfd-thread-kill", 2, signal_pidfd_thread },
	{ "procdir-kill", 2, signal_procdir },
	{ "owner-signal", 3, signal_owner },
	{ "setsig-high", 1, signal_high },
	{ "kill-high", 2, signal_kill_high },
	{ "own-child-kill", 1, signal_own_child },
	{ NULL, 0, NULL },
};
