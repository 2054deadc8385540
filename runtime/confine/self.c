/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/confine/self.h"

#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/confine/identity.h"

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#endif

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

#define N_NET     (sizeof(allowed_net) / sizeof(allowed_net[0]))
#define N_ALLOWED (sizeof(allowed) / sizeof(allowed[0]))

static unsigned short allow(struct sock_filter *insns, unsigned short n, int nr, size_t behind)
{
	insns[n++] = (struct sock_filter)BPF_JUMP(
		BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)nr, (unsigned char)behind, 0);
	return n;
}

static int install_filter(bool connects)
{
	const size_t n_net = connects ? N_NET : 0;
	struct sock_filter insns[N_ALLOWED + N_NET + 6];
	struct sock_fprog prog = { .filter = insns };
	unsigned short n = 0;

	insns[n++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	insns[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCH, 1, 0);
	insns[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	insns[n++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < N_ALLOWED; i++)
		n = allow(insns, n, allowed[i], N_ALLOWED + n_net - i);
	for (size_t i = 0; i < n_net; i++)
		n = allow(insns, n, allowed_net[i], n_net - i);
	insns[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	insns[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	prog.len = n;
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
	struct spec_caps caps = { .set = true };

	/* SETUID, SETGID: to be the caller while acting for it. */
	if (connects)
		keep |= 1ULL << CAP_SETUID | 1ULL << CAP_SETGID;
	if (fchdir(root_fd) < 0 || chroot(".") < 0)
		return sl_err_set(err, errno, "supervisor: enter the tree");
	if (syscall(SYS_capget, &head, now) < 0)
		return sl_err_set(err, errno, "supervisor: read capabilities");
	caps.permitted = caps.effective =
		keep & ((uint64_t)now[1].permitted << 32 | now[0].permitted);
	if (identity_apply_caps(&caps) < 0)
		return sl_err_set(err, errno, "supervisor: drop capabilities");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) < 0)
		return sl_err_set(err, errno, "supervisor: no_new_privs");
	if (install_filter(connects) < 0)
		return sl_err_set(err, errno, "supervisor: filter");
	return 0;
}
