/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/confine/self.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/confine/bpf_tree.h"
#include "runtime/confine/identity.h"

/* What the loop needs and nothing more: it starts no program, opens no network, mounts
 * nothing. Most used first. */
static const int allowed[] = {
	SYS_epoll_wait,
	SYS_ioctl,
	SYS_ppoll,
	SYS_poll,
	SYS_recvmsg,
	SYS_sendmsg,
	SYS_sendto,
	SYS_recvfrom,
	SYS_statx,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_read,
	SYS_write,
	SYS_close,
	SYS_openat,
	SYS_openat2,
	SYS_epoll_ctl,
	SYS_accept4,
	SYS_getsockopt,
	SYS_socketpair,
	SYS_fcntl,
	SYS_newfstatat,
	SYS_fstat,
	SYS_uname,
	SYS_mmap,
	SYS_munmap,
	SYS_mremap,
	SYS_brk,
	SYS_madvise,
	SYS_futex,
	SYS_getpid,
	SYS_gettid,
	SYS_geteuid,
	SYS_getuid,
	SYS_pidfd_open,
	SYS_pidfd_send_signal,
	SYS_prlimit64,
	SYS_sched_setaffinity,
	SYS_sched_setattr,
	SYS_ioprio_set,
	SYS_getpriority,
	SYS_setpriority,
	SYS_getdents64,
	SYS_lseek,
	SYS_fsync,
	SYS_renameat,
	SYS_renameat2,
	SYS_unlinkat,
	SYS_fchown,
	SYS_fchmod,
	SYS_wait4,
	SYS_kill,
	SYS_tgkill,
	SYS_rt_sigaction,
	SYS_rt_sigprocmask,
	SYS_rt_sigreturn,
	SYS_clock_gettime,
	SYS_clock_nanosleep,
	SYS_nanosleep,
	SYS_restart_syscall,
	SYS_exit,
	SYS_exit_group,
	SYS_getrandom,
	SYS_setrlimit,
	SYS_timerfd_settime,
};

/* And what it needs to act on its containers' sockets; it still makes none of its own. */
static const int allowed_net[] = { SYS_connect, SYS_pidfd_getfd, SYS_timer_settime, SYS_setsockopt,
	SYS_fchdir, SYS_setresuid, SYS_setresgid, SYS_setgroups };

#define N_NET      (sizeof(allowed_net) / sizeof(allowed_net[0]))
#define N_ALLOWED  (sizeof(allowed) / sizeof(allowed[0]))
#define NUMBER_MAX 511
#define INSNS_MAX  512
#define DENY       ((uint32_t)SECCOMP_RET_ERRNO | EPERM)

static void mark(bool *numbers, const int *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		numbers[list[i]] = true;
}

static bpf_node leaf(void *context, struct bpf *b, uint64_t decision)
{
	(void)context;
	return bpf_ret(b, (uint32_t)decision);
}

/* A tree like the workload's: the kernel runs a new filter once for each call number, and
 * a list would make every start wait for that (seccomp_cache_prepare() in kernel/seccomp.c). */
static int install_filter(bool connects)
{
	const struct bpf_leaves leaves = { leaf, NULL };
	struct sock_filter insns[INSNS_MAX];
	struct sock_fprog prog = { .filter = insns };
	struct bpf_ranges ranges = { .n = 0 };
	bool yes[NUMBER_MAX + 1] = { false };
	struct bpf b;
	size_t n;

	mark(yes, allowed, N_ALLOWED);
	if (connects)
		mark(yes, allowed_net, N_NET);
	for (uint32_t nr = 0; nr <= NUMBER_MAX; nr++)
		if (bpf_ranges_add(&ranges, nr, yes[nr] ? SECCOMP_RET_ALLOW : DENY) < 0)
			return -1;
	bpf_begin(&b, insns, INSNS_MAX);
	bpf_program(&b, &ranges, &leaves, NUMBER_MAX, DENY);
	if (bpf_finish(&b, &n) < 0)
		return -1;
	prog.len = (unsigned short)n;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog);
}

int confine_supervisor(int root_fd, bool connects, struct sl_err *err)
{
	/* PTRACE: look into callers, even of other users. KILL: end processes of other users.
	 * CHOWN: terminals of exec'd processes. RESOURCE, NICE: their limits. */
	uint64_t keep = 1ULL << CAP_SYS_PTRACE | 1ULL << CAP_KILL | 1ULL << CAP_CHOWN |
			1ULL << CAP_SYS_RESOURCE | 1ULL << CAP_SYS_NICE;
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct now[2];

	/* SETUID, SETGID: to be the caller while acting for it. */
	if (connects)
		keep |= 1ULL << CAP_SETUID | 1ULL << CAP_SETGID;
	if (fchdir(root_fd) < 0 || chroot(".") < 0)
		return sl_err_set(err, errno, "supervisor: enter the tree");
	if (syscall(SYS_capget, &head, now) < 0)
		return sl_err_set(err, errno, "supervisor: read capabilities");
	if (identity_hold_caps(keep & ((uint64_t)now[1].permitted << 32 | now[0].permitted)) < 0)
		return sl_err_set(err, errno, "supervisor: drop capabilities");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) < 0)
		return sl_err_set(err, errno, "supervisor: no_new_privs");
	if (install_filter(connects) < 0)
		return sl_err_set(err, errno, "supervisor: filter");
	return 0;
}
