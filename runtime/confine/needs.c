/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/confine/needs.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define SOME_FD 3

/* fork(2) of the C library */
#define FORK_FLAGS (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD)

const struct confine_need confine_needs[] = {
	/* the thread */
	{ SYS_prctl, { PR_CAPBSET_READ, CAP_SYS_ADMIN }, "the last step looks what is there" },
	{ SYS_prctl, { PR_CAPBSET_DROP, CAP_SYS_ADMIN },
		"the last step drops what it may not keep" },
	{ SYS_prctl, { PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL }, "the same" },
	{ SYS_capset, { 0 }, "the same; the child's own sets" },
	{ SYS_clone, { FORK_FLAGS }, "fork" },
	{ SYS_set_robust_list, { 0 }, "fork, in the child" },
	{ SYS_rt_sigprocmask, { SIG_SETMASK }, "fork, and the child's own mask" },
	{ SYS_futex, { 0, 393 /* FUTEX_WAIT_BITSET_PRIVATE, CLOCK_REALTIME */ },
		"wait for the leader" },
	{ SYS_futex, { 0, 129 /* FUTEX_WAKE_PRIVATE */ }, "tell it" },
	{ SYS_kill, { UINT32_MAX, SIGKILL }, "end everything in the domain" },
	{ SYS_kill, { UINT32_MAX, SIGTERM }, "signal everything in the domain" },
	/* both */
	{ SYS_read, { SOME_FD }, "the sync socket, passwd" },
	{ SYS_write, { SOME_FD }, "the sync socket, the label" },
	{ SYS_close, { SOME_FD }, "what was passed, passwd, the description" },
	{ SYS_mmap, { 0, 4096, PROT_READ }, "the description" },
	{ SYS_mmap, { 0, 4096, PROT_READ | PROT_WRITE }, "memory" },
	{ SYS_mprotect, { 0, 4096, PROT_READ | PROT_WRITE }, "memory of a second thread" },
	{ SYS_munmap, { 0 }, "memory" },
	{ SYS_madvise, { 0, 4096, MADV_DONTNEED }, "memory" },
	{ SYS_brk, { 0 }, "memory" },
	/* the child */
	{ SYS_fcntl, { SOME_FD, F_DUPFD_CLOEXEC }, "place the descriptors" },
	{ SYS_fcntl, { 0, F_GETFL }, "check stdio" },
#ifdef SYS_dup2
	{ SYS_dup2, { SOME_FD, 0 }, "place the descriptors" },
#endif
	{ SYS_dup3, { SOME_FD, SOME_FD + 1, O_CLOEXEC }, "place the descriptors" },
	{ SYS_fstat, { 0 }, "check stdio" },
	{ SYS_newfstatat, { 0 }, "check stdio; find the program" },
	{ SYS_close_range, { SOME_FD, UINT32_MAX, 0 }, "sweep the others" },
	{ SYS_umask, { 022 }, "process.user.umask" },
	{ SYS_setsid, { 0 }, "a session of its own" },
	{ SYS_ioctl, { 0, TIOCSCTTY, 0 }, "process.terminal" },
	{ SYS_fchown, { 0 }, "stdio belongs to the user" },
	{ SYS_prctl, { PR_SET_CHILD_SUBREAPER, 1 }, "orphans belong to the main process" },
	{ SYS_prctl, { PR_SET_KEEPCAPS, 1 }, "become the user" },
	{ SYS_prctl, { PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE }, "process.capabilities" },
	{ SYS_setgroups, { 0 }, "process.user" },
	{ SYS_setresgid, { 0 }, "process.user" },
	{ SYS_setresuid, { 0 }, "process.user" },
	{ SYS_prctl, { PR_SET_DUMPABLE, 0 }, "stay shut after the change of user" },
	{ SYS_chdir, { 0 }, "process.cwd" },
	{ SYS_getcwd, { 0 }, "process.cwd: inside the root?" },
	{ SYS_openat,
		{ UINT32_MAX - 99 /* AT_FDCWD */, 0, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC },
		"passwd" },
	{ SYS_fcntl, { SOME_FD, F_GETFL }, "passwd" },
	{ SYS_openat, { UINT32_MAX - 99, 0, O_WRONLY | O_CLOEXEC }, "the label" },
	{ SYS_lseek, { SOME_FD }, "passwd" },
	{ SYS_faccessat2, { UINT32_MAX - 99 }, "find the program" },
	{ SYS_prctl, { PR_SET_NO_NEW_PRIVS, 1 }, "process.noNewPrivileges" },
	{ SYS_execve, { 0 }, "process.args" },
	{ SYS_exit_group, { 0 }, "a failure" },
};
const size_t confine_n_needs = sizeof(confine_needs) / sizeof(confine_needs[0]);

const struct confine_need *needs_first_refused(const struct profile *p)
{
	for (size_t i = 0; i < confine_n_needs; i++)
		if (!profile_passes(p, confine_needs[i].nr, confine_needs[i].args))
			return &confine_needs[i];
	return NULL;
}
