/* SPDX-License-Identifier: Apache-2.0
 *
 * New namespaces and joined ones (namespaces(7)): a workload that makes its own gets back
 * capabilities and interfaces that the fence counts on being gone. Also the two other
 * doors into the kernel, x32 and the 32-bit gate, which a filter must not overlook.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/escape/attack.h"
#include "tests/escape/numbers.h"

static const struct {
	const char *name;
	unsigned long flag;
} KINDS[] = {
	{ "mnt", CLONE_NEWNS },
	{ "cgroup", CLONE_NEWCGROUP },
	{ "uts", CLONE_NEWUTS },
	{ "ipc", CLONE_NEWIPC },
	{ "user", CLONE_NEWUSER },
	{ "pid", CLONE_NEWPID },
	{ "net", CLONE_NEWNET },
	{ "time", CLONE_NEWTIME },
	{ "none", 0 },
};

static unsigned long kind_flag(const char *name)
{
	for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++)
		if (strcmp(KINDS[i].name, name) == 0)
			return KINDS[i].flag;
	return 0;
}

static int ns_unshare(struct trial *t, char **args)
{
	(void)t;
	return (int)syscall(SYS_unshare, kind_flag(args[0]));
}

static int reap_clone(long pid)
{
	if (pid < 0)
		return -1;
	if (pid == 0)
		_exit(0);
	waitpid((pid_t)pid, NULL, __WALL);
	return 0;
}

static int ns_clone(struct trial *t, char **args)
{
	(void)t;
	return reap_clone(syscall(SYS_clone, kind_flag(args[0]) | SIGCHLD, 0, 0, 0, 0));
}

/* The upper half of the register is not part of clone's flags, and a filter that compares
 * all 64 bits could be led astray by it. */
static int ns_clone_high(struct trial *t, char **args)
{
	unsigned long flags = kind_flag(args[0]) | SIGCHLD | (1UL << 40);

	(void)t;
	return reap_clone(syscall(SYS_clone, flags, 0, 0, 0, 0));
}

static int ns_clone3(struct trial *t, char **args)
{
	struct clone_args a = { .flags = kind_flag(args[0]), .exit_signal = SIGCHLD };

	(void)t;
	return reap_clone(syscall(SYS_clone3, &a, sizeof(a)));
}

static int ns_setns(struct trial *t, char **args)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/ns/%s", args[0]);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return trial_fail(t, "open");
	return (int)syscall(SYS_setns, fd, 0);
}

static int ns_x32(struct trial *t, char **args)
{
	(void)t;
	return syscall(X32_BIT | arg_number(args[0]), 0, 0, 0, 0, 0, 0) < 0 ? -1 : 0;
}

/* getpid by its 32-bit number. */
static int ns_int80(struct trial *t, char **args)
{
	long ret = 20;

	(void)t, (void)args;
#ifdef __x86_64__
	__asm__ volatile("int $0x80" : "+a"(ret) : : "memory", "r8", "r9", "r10", "r11");
#endif
	if (ret < 0) {
		errno = (int)-ret;
		return -1;
	}
	return 0;
}

const struct attack attacks_namespaces[] = {
	{ "unshare", 1, ns_unshare },
	{ "clone", 1, ns_clone },
	{ "clone-high", 1, ns_clone_high },
	{ "clone3", 1, ns_clone3 },
	{ "setns", 1, ns_setns },
	{ "x32", 1, ns_x32 },
	{ "int80", 0, ns_int80 },
	{ NULL, 0, NULL },
};
