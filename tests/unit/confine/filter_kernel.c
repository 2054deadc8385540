/* SPDX-License-Identifier: Apache-2.0
 *
 * Argument rules against the running kernel, with rubbish in the upper halves: each attack
 * works without the filter and fails under it with the exact errno.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/utsname.h>

#include "runtime/confine/filter.h"
#include "runtime/seccomp/syscalls.h"
#include "tests/unit/check.h"
#include "tests/unit/confine/child.h"

#define RUBBISH 0x5a5a5a5a00000000L

static struct sock_filter insns[FILTER_MAX];
static size_t n;
static pid_t victim;

static int under(int (*body)(const void *), bool filtered)
{
	const struct filter_params p = { victim, victim, victim, victim, .trap_uname = true };
	struct sl_err err;

	n = 0;
	if (filtered && filter_build(&p, insns, FILTER_MAX, &n, &err) < 0)
		return -2000;
	return child_run(body, NULL);
}

static bool enter(void)
{
	return n == 0 || child_filter(insns, n, 0) == 0;
}

#define BODY(name, expression)                                                                     \
	static int name(const void *arg)                                                           \
	{                                                                                          \
		(void)arg;                                                                         \
		return enter() ? child_errno(expression) : 255;                                    \
	}

static long new_user_namespace(void)
{
	long pid = syscall(SYS_clone, RUBBISH | CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		_exit(0);
	return pid;
}

static long set_signal(void)
{
	int fds[2];

	if (pipe(fds) < 0)
		return 0;
	return syscall(SYS_fcntl, fds[0], RUBBISH | F_SETSIG, SIGKILL);
}

BODY(do_namespace, new_user_namespace())
BODY(do_signal, syscall(SYS_kill, RUBBISH | victim, 0))
BODY(do_group, syscall(SYS_kill, -(long)victim, 0))
BODY(do_thread, syscall(SYS_tkill, RUBBISH | victim, 0))
BODY(do_thread_of, syscall(SYS_tgkill, RUBBISH | victim, RUBBISH | victim, 0))
BODY(do_pidfd, syscall(SYS_pidfd_open, RUBBISH | victim, 0))
BODY(do_setsig, set_signal())
BODY(do_udp, syscall(SYS_socket, RUBBISH | AF_INET, RUBBISH | SOCK_DGRAM, RUBBISH))
BODY(do_raw, syscall(SYS_socket, RUBBISH | AF_INET, RUBBISH | SOCK_RAW, RUBBISH | 1))
BODY(do_tcp, syscall(SYS_socket, RUBBISH | AF_INET, RUBBISH | SOCK_STREAM, RUBBISH))
BODY(do_netlink, syscall(SYS_socket, AF_NETLINK, SOCK_RAW, RUBBISH | 16))
BODY(do_persona, syscall(SYS_personality, RUBBISH | 0x400000))
BODY(do_nice, syscall(SYS_setpriority, RUBBISH | PRIO_PROCESS, RUBBISH | victim, 0))
BODY(do_nice_user, syscall(SYS_setpriority, RUBBISH | PRIO_USER, RUBBISH | 61987, 0))
BODY(do_nice_self, syscall(SYS_setpriority, RUBBISH | PRIO_PROCESS, RUBBISH, 0))
BODY(do_limit, syscall(SYS_prlimit64, RUBBISH | victim, RLIMIT_CORE, NULL, NULL))
BODY(do_limit_asked, syscall(SYS_prlimit64, RUBBISH | getppid(), RLIMIT_CORE, NULL, NULL))
BODY(do_uname, syscall(SYS_uname, &(struct utsname){ .sysname = "" }))

static int do_sti(const void *arg)
{
	int fd = open("/dev/ptmx", O_RDWR | O_NOCTTY);

	(void)arg;
	return enter() ? child_errno(syscall(SYS_ioctl, fd, RUBBISH | TIOCSTI, "x")) : 255;
}

#ifdef __x86_64__
BODY(do_x32, syscall(SYS_getpid | 0x40000000))

static int do_int80(const void *arg)
{
	long r;

	(void)arg;
	if (!enter())
		return 255;
	__asm__ volatile("int $0x80" : "=a"(r) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
	return r > 0 ? 0 : 1;
}
#endif

static void check_attack(const char *name, int (*body)(const void *), int control, int want)
{
	int without = under(body, false);
	int with = under(body, true);

	if (without == control && with == want)
		return;
	printf("# %s: %d without and %d with the filter, expected %d and %d\n", name, without, with,
		control, want);
	CHECK_NOT_REACHED("attack");
}
#define ATTACK(body, control, want) check_attack(#body, body, control, want)

int main(void)
{
	victim = fork();
	if (victim == 0) {
		setpgid(0, 0);
		pause();
		_exit(0);
	}
	setpgid(victim, victim);

	ATTACK(do_namespace, 0, EPERM);
	ATTACK(do_signal, 0, EPERM);
	ATTACK(do_group, 0, EPERM);
	ATTACK(do_thread, 0, EPERM);
	ATTACK(do_thread_of, 0, EPERM);
	ATTACK(do_pidfd, 0, EPERM);
	ATTACK(do_setsig, 0, EPERM);
	ATTACK(do_sti, 0, EPERM);
	ATTACK(do_udp, 0, EPERM);
	ATTACK(do_raw, 0, EPERM);
	ATTACK(do_tcp, 0, 0);
	ATTACK(do_netlink, 0, EAFNOSUPPORT);
	ATTACK(do_persona, 0, EPERM);
	ATTACK(do_nice, 0, EPERM);
	ATTACK(do_nice_user, ESRCH, EPERM);
	ATTACK(do_nice_self, 0, 0);
	ATTACK(do_limit, 0, EPERM);
	/* Without a listener a call that is to be asked about does not exist. */
	ATTACK(do_limit_asked, 0, ENOSYS);
	ATTACK(do_uname, 0, ENOSYS);
#ifdef __x86_64__
	CHECK(under(do_x32, true) == -SIGSYS);
	CHECK(under(do_int80, true) == -SIGSYS);
	CHECK(under(do_int80, false) != -SIGSYS);
#endif
	kill(victim, SIGKILL);
	CHECK(waitpid(victim, NULL, 0) == victim);
	return check_done();
}
