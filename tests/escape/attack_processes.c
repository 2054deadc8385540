/* SPDX-License-Identifier: Apache-2.0
 *
 * Reaching into another process: ptrace(2), process_vm_readv(2), pidfd_getfd(2) and their
 * smaller kin, each by number.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/escape/attack.h"
#include "tests/escape/numbers.h"

#define SECRET "host-secret"

static int process_attach(struct trial *t, char **args)
{
	pid_t pid = (pid_t)arg_number(args[0]);

	(void)t;
	if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) < 0)
		return -1;
	waitpid(pid, NULL, __WALL);
	return (int)ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

static int process_seize(struct trial *t, char **args)
{
	(void)t;
	return (int)ptrace(PTRACE_SEIZE, (pid_t)arg_number(args[0]), NULL, NULL);
}

/* The positive twin for containers that were granted ptrace. */
static int process_trace_own(struct trial *t, char **args)
{
	pid_t pid = fork();
	int result;

	(void)args;
	if (pid == 0) {
		pause();
		_exit(0);
	}
	result = (int)ptrace(PTRACE_SEIZE, pid, NULL, NULL);
	if (result < 0)
		trial_fail(t, "seize");
	int saved = errno;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	errno = saved;
	return result;
}

static int process_vm_read(struct trial *t, char **args)
{
	char buffer[sizeof(SECRET)] = "";
	struct iovec mine = { buffer, sizeof(SECRET) - 1 };
	struct iovec theirs = { (void *)strtoul(args[1], NULL, 0), sizeof(SECRET) - 1 };

	if (syscall(SYS_process_vm_readv, arg_number(args[0]), &mine, 1, &theirs, 1, 0) < 0)
		return -1;
	return strcmp(buffer, SECRET) == 0 ? 0 : trial_say(t, "garbled");
}

/* Writes the same bytes that are there. */
static int process_vm_write(struct trial *t, char **args)
{
	char buffer[] = SECRET;
	struct iovec mine = { buffer, sizeof(SECRET) - 1 };
	struct iovec theirs = { (void *)strtoul(args[1], NULL, 0), sizeof(SECRET) - 1 };

	(void)t;
	return syscall(SYS_process_vm_writev, arg_number(args[0]), &mine, 1, &theirs, 1, 0) < 0 ? -1
												: 0;
}

static int pidfd_of(const char *word)
{
	return (int)syscall(SYS_pidfd_open, arg_number(word), 0);
}

static int process_pidfd(struct trial *t, char **args)
{
	(void)t;
	return got_fd(pidfd_of(args[0]));
}

static int process_pidfd_thread(struct trial *t, char **args)
{
	(void)t;
	return got_fd((int)syscall(SYS_pidfd_open, arg_number(args[0]), PIDFD_THREAD));
}

static int process_getfd(struct trial *t, char **args)
{
	int pidfd = pidfd_of(args[0]);

	if (pidfd < 0)
		return trial_fail(t, "pidfd_open");
	return got_fd((int)syscall(SYS_pidfd_getfd, pidfd, arg_number(args[1]), 0));
}

/* The call itself, on a pidfd that the filter lets be had: our own. */
static int process_getfd_own(struct trial *t, char **args)
{
	int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	(void)args;
	if (pidfd < 0)
		return trial_fail(t, "pidfd_open");
	return got_fd((int)syscall(SYS_pidfd_getfd, pidfd, 0, 0));
}

static int process_kcmp(struct trial *t, char **args)
{
	(void)t;
	return syscall(SYS_kcmp, getpid(), arg_number(args[0]), KCMP_VM, 0, 0) < 0 ? -1 : 0;
}

static int process_robust_list(struct trial *t, char **args)
{
	void *head;
	size_t n;

	(void)t;
	return (int)syscall(SYS_get_robust_list, arg_number(args[0]), &head, &n);
}

static int process_advise(struct trial *t, char **args)
{
	struct iovec theirs = { (void *)(strtoul(args[1], NULL, 0) & ~4095UL), 4096 };
	int pidfd = pidfd_of(args[0]);

	if (pidfd < 0)
		return trial_fail(t, "pidfd_open");
	return syscall(SYS_process_madvise, pidfd, &theirs, 1, MADV_WILLNEED, 0) < 0 ? -1 : 0;
}

/* EINVAL without a sandbox: the target is not dying. */
static int process_release(struct trial *t, char **args)
{
	int pidfd = pidfd_of(args[0]);

	if (pidfd < 0)
		return trial_fail(t, "pidfd_open");
	return (int)syscall(SYS_process_mrelease, pidfd, 0);
}

static int process_move_pages(struct trial *t, char **args)
{
	void *page = (void *)(strtoul(args[1], NULL, 0) & ~4095UL);
	int status = 0;

	(void)t;
	return (int)syscall(SYS_move_pages, arg_number(args[0]), 1L, &page, NULL, &status, 0);
}

static int process_migrate_pages(struct trial *t, char **args)
{
	unsigned long node = 1;

	(void)t;
	return syscall(SYS_migrate_pages, arg_number(args[0]), 8 * sizeof(node), &node, &node) < 0
		       ? -1
		       : 0;
}

static int process_setns_pidfd(struct trial *t, char **args)
{
	int pidfd = pidfd_of(args[0]);

	if (pidfd < 0)
		return trial_fail(t, "pidfd_open");
	return (int)syscall(SYS_setns, pidfd, arg_number(args[1]));
}

const struct attack attacks_processes[] = {
	{ "ptrace-attach", 1, process_attach },
	{ "ptrace-seize", 1, process_seize },
	{ "ptrace-own-child", 0, process_trace_own },
	{ "vm-read", 2, process_vm_read },
	{ "vm-write", 2, process_vm_write },
	{ "pidfd-open", 1, process_pidfd },
	{ "pidfd-open-thread", 1, process_pidfd_thread },
	{ "pidfd-getfd", 2, process_getfd },
	{ "pidfd-getfd-own", 0, process_getfd_own },
	{ "kcmp", 1, process_kcmp },
	{ "robust-list", 1, process_robust_list },
	{ "process-madvise", 2, process_advise },
	{ "process-mrelease", 1, process_release },
	{ "move-pages", 2, process_move_pages },
	{ "migrate-pages", 1, process_migrate_pages },
	{ "setns-pidfd", 2, process_setns_pidfd },
	{ NULL, 0, NULL },
};
