/* SPDX-License-Identifier: Apache-2.0
 *
 * The argument rules at their boundaries. Every case runs three times: as written, with
 * rubbish in the upper halves, and with all upper bits set: the kernel ignores those halves,
 * so the answer must not depend on them.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/ioprio.h>
#include <linux/kd.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

#include "runtime/base/count.h"
#include "runtime/confine/filter.h"
#include "runtime/seccomp/bpf.h"
#include "runtime/seccomp/bpf_run.h"
#include "runtime/seccomp/syscalls.h"
#include "tests/unit/check.h"

#define CPU_CLOCK(pid, which) ((uint32_t) ~(pid) << 3 | (which)) /* linux/posix-timers.h */

#define PASS                  SECCOMP_RET_ALLOW
#define ASK                   SECCOMP_RET_USER_NOTIF
#define FAIL(code)            (SECCOMP_RET_ERRNO | (code))

#define SUPERVISOR            4001
#define INIT                  4002
#define THREAD                4003
#define FETCHER               4005
#define NEG(id)               ((uint32_t) - (id))

struct arg_case {
	int nr;
	uint32_t args[4];
	uint32_t want;
};

/* Where the container has some processors only. */
static const struct arg_case bound_cases[] = {
	{ __NR_sched_setaffinity, { 0 }, ASK },
	{ __NR_sched_setaffinity, { 77 }, ASK },
	{ __NR_sched_setaffinity, { 1 }, FAIL(ESRCH) },
	{ __NR_sched_setaffinity, { SUPERVISOR }, FAIL(EPERM) },
	{ __NR_sched_setscheduler, { 0 }, PASS },
};

/* Where mount points have to be said to be busy: directories and renames, and no file. */
static const struct arg_case busy_cases[] = {
	{ __NR_unlinkat, { 0, 0, 0 }, PASS },
	{ __NR_unlinkat, { 0, 0, AT_REMOVEDIR }, ASK },
	{ __NR_renameat, { 0 }, ASK },
	{ __NR_renameat2, { 0 }, ASK },
#ifdef __NR_unlink /* and so its kin */
	{ __NR_unlink, { 0 }, PASS },
	{ __NR_rmdir, { 0 }, ASK },
	{ __NR_rename, { 0 }, ASK },
#endif
};

static const struct arg_case calm_cases[] = {
	{ __NR_unlinkat, { 0, 0, AT_REMOVEDIR }, PASS },
	{ __NR_renameat, { 0 }, PASS },
	{ __NR_renameat2, { 0 }, PASS },
#ifdef __NR_rmdir
	{ __NR_rmdir, { 0 }, PASS },
	{ __NR_rename, { 0 }, PASS },
#endif
};

static const struct arg_case getpid_cases[] = {
	{ __NR_getpid, { 0 }, ASK },
	{ __NR_getppid, { 0 }, ASK },
	{ __NR_gettid, { 0 }, PASS },
};

static const struct arg_case closed_cases[] = {
	{ __NR_getpid, { 0 }, PASS },
	{ __NR_getppid, { 0 }, PASS },

	/* any bit of a new namespace; fork's, vfork's and threads' flags pass */
	{ __NR_clone, { SIGCHLD }, PASS },
	{ __NR_clone, { CLONE_VM | CLONE_VFORK | SIGCHLD }, PASS },
	{ __NR_clone, { 0x3d0f00 }, PASS }, /* pthread_create */
	{ __NR_clone, { CLONE_NEWNS | SIGCHLD }, FAIL(EPERM) },
	{ __NR_clone, { CLONE_NEWCGROUP }, FAIL(EPERM) },
	{ __NR_clone, { CLONE_NEWUTS }, FAIL(EPERM) },
	{ __NR_clone, { CLONE_NEWIPC }, FAIL(EPERM) },
	{ __NR_clone, { CLONE_NEWUSER | SIGCHLD }, FAIL(EPERM) },
	{ __NR_clone, { CLONE_NEWPID }, FAIL(EPERM) },
	{ __NR_clone, { CLONE_NEWNET }, FAIL(EPERM) },
	{ __NR_clone, { 0x80 | SIGCHLD }, FAIL(EPERM) },
	{ __NR_clone, { CLONE_PIDFD | CLONE_PARENT | SIGCHLD }, PASS },

	{ __NR_ioctl, { 0, TIOCSTI }, FAIL(EPERM) },
	{ __NR_ioctl, { 0, TIOCLINUX }, FAIL(EPERM) },
	{ __NR_ioctl, { 0, TIOCSETD }, FAIL(EPERM) },
	{ __NR_ioctl, { 0, TIOCCONS }, FAIL(EPERM) },
	{ __NR_ioctl, { 0, KDSKBENT }, FAIL(EPERM) },
	{ __NR_ioctl, { 0, KDSETKEYCODE }, FAIL(EPERM) },
	{ __NR_ioctl, { 0, TIOCSTI - 1 }, PASS },
	{ __NR_ioctl, { 0, TIOCSTI + 1 }, PASS }, /* TIOCGWINSZ */
	{ __NR_ioctl, { 0, TCGETS }, PASS },
	{ __NR_ioctl, { 0, FIONREAD }, PASS },
	{ __NR_ioctl, { TIOCSTI, 0 }, PASS },

	{ __NR_fcntl, { 3, F_SETSIG, SIGKILL }, FAIL(EPERM) },
	{ __NR_fcntl, { 3, F_SETSIG, SIGSTOP }, FAIL(EPERM) },
	{ __NR_fcntl, { 3, F_SETSIG, 32 }, FAIL(EPERM) },
	{ __NR_fcntl, { 3, F_SETSIG, 33 }, FAIL(EPERM) },
	{ __NR_fcntl, { 3, F_SETSIG, 34 }, PASS },
	{ __NR_fcntl, { 3, F_SETSIG, SIGIO }, PASS },
	{ __NR_fcntl, { 3, F_SETSIG, 0 }, PASS },
	{ __NR_fcntl, { 3, F_SETFD, SIGKILL }, PASS },
	{ __NR_fcntl, { 3, F_SETOWN, SIGKILL }, PASS },

	{ __NR_prctl, { PR_SET_MM }, FAIL(EPERM) },
	{ __NR_prctl, { 57 }, FAIL(EPERM) },
	{ __NR_prctl, { PR_SET_DUMPABLE, 0 }, PASS },
	{ __NR_prctl, { PR_SET_NO_NEW_PRIVS, 1 }, PASS },
	{ __NR_prctl, { PR_SET_SECUREBITS, 1 }, PASS },
	{ __NR_prctl, { PR_SET_PTRACER, 1 }, PASS },
	{ __NR_prctl, { 62, 1, 0, 0 }, PASS },
	{ __NR_prctl, { 62, 1, 1, 0 }, FAIL(EPERM) },

	{ __NR_clock_gettime, { CLOCK_MONOTONIC }, PASS },
	{ __NR_clock_gettime, { CLOCK_THREAD_CPUTIME_ID }, PASS },
	{ __NR_clock_gettime, { 0x7fffffff }, PASS },
	{ __NR_clock_gettime, { CPU_CLOCK(0, 2) }, PASS },
	{ __NR_clock_gettime, { CPU_CLOCK(1, 2) }, ASK },
	{ __NR_clock_gettime, { CPU_CLOCK(1, 0) }, ASK },
	{ __NR_clock_gettime, { CPU_CLOCK(4194304, 1) }, ASK },
	{ __NR_clock_gettime, { CPU_CLOCK((1 << 28) - 1, 2) }, ASK },
	{ __NR_clock_gettime, { CPU_CLOCK(1000, 6) }, PASS }, /* a thread's */
	{ __NR_clock_gettime, { CPU_CLOCK(1000, 3) }, PASS }, /* a descriptor's */
	{ __NR_clock_getres, { CPU_CLOCK(1000, 2) }, ASK },
	{ __NR_clock_nanosleep, { CPU_CLOCK(1000, 2) }, ASK },
	{ __NR_clock_nanosleep, { CLOCK_REALTIME }, PASS },
	{ __NR_timer_create, { CPU_CLOCK(1000, 2) }, ASK },
	{ __NR_timer_create, { CPU_CLOCK(0, 2) }, PASS },

	{ __NR_personality, { 0 }, PASS },
	{ __NR_personality, { 0xffffffff }, PASS },
	{ __NR_personality, { 8 }, PASS },
	{ __NR_personality, { 0x20008 }, PASS },
	{ __NR_personality, { 0x40000 }, FAIL(EPERM) },
	{ __NR_personality, { 0x400000 }, FAIL(EPERM) },
	{ __NR_personality, { 1 }, FAIL(EPERM) },

	{ __NR_socket, { AF_UNIX, SOCK_DGRAM, 0 }, PASS },
	{ __NR_socket, { AF_INET, SOCK_STREAM, 0 }, PASS },
	{ __NR_socket, { AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP },
		PASS },
	{ __NR_socket, { AF_INET, SOCK_STREAM, 262 }, FAIL(EPROTONOSUPPORT) },
	{ __NR_socket, { AF_INET6, SOCK_STREAM, IPPROTO_SCTP }, FAIL(EPROTONOSUPPORT) },
	{ __NR_socket, { AF_INET, SOCK_STREAM, 256 }, FAIL(EPROTONOSUPPORT) },
	{ __NR_socket, { AF_INET, SOCK_DGRAM, 0 }, FAIL(EPERM) },
	{ __NR_socket, { AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK, IPPROTO_UDP }, FAIL(EPERM) },
	{ __NR_socket, { AF_INET, SOCK_RAW, IPPROTO_ICMP }, FAIL(EPERM) },
	{ __NR_socket, { AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_TCP }, FAIL(EPERM) },
	{ __NR_socket, { AF_INET, SOCK_PACKET, 0 }, FAIL(EPERM) },
	{ __NR_socket, { AF_INET, SOCK_SEQPACKET, IPPROTO_SCTP }, FAIL(EPERM) },
	{ __NR_socket, { AF_NETLINK, SOCK_RAW, NETLINK_ROUTE }, PASS },
	{ __NR_socket, { AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG }, ASK },
	{ __NR_socket, { AF_NETLINK, SOCK_RAW, NETLINK_AUDIT }, FAIL(EAFNOSUPPORT) },
	{ __NR_socket, { AF_NETLINK, SOCK_DGRAM, NETLINK_GENERIC }, FAIL(EAFNOSUPPORT) },
	{ __NR_socket, { AF_PACKET, SOCK_RAW, 0 }, FAIL(EAFNOSUPPORT) },
	{ __NR_socket, { AF_VSOCK, SOCK_STREAM, 0 }, FAIL(EAFNOSUPPORT) },
	{ __NR_socket, { AF_ALG, SOCK_SEQPACKET, 0 }, FAIL(EAFNOSUPPORT) },
	{ __NR_socket, { 0, SOCK_STREAM, 0 }, FAIL(EAFNOSUPPORT) },
	{ __NR_socketpair, { AF_UNIX, SOCK_STREAM, 0 }, PASS },
	{ __NR_socketpair, { AF_TIPC, SOCK_STREAM, 0 }, FAIL(EAFNOSUPPORT) },
#ifdef __NR_mknod
	{ __NR_mknod, { 1, S_IFCHR | 0666, 0 }, PASS },
	{ __NR_mknod, { 1, S_IFCHR | 0666, 0x103 }, FAIL(EPERM) },
	{ __NR_mknod, { 1, S_IFIFO | 0666, 0x103 }, PASS },
#endif
	{ __NR_mknodat, { 3, 1, S_IFCHR, 0 }, PASS },
	{ __NR_mknodat, { 3, 1, S_IFCHR, 0x103 }, FAIL(EPERM) },
	{ __NR_mknodat, { 3, S_IFCHR, S_IFREG, 0x103 }, PASS },
	{ __NR_ioctl, { 3, 0xc040ff0b }, FAIL(ENOTTY) },
	{ __NR_ioctl, { 3, 0xc050ff0b }, FAIL(ENOTTY) },
	{ __NR_ioctl, { 3, 0x5401 }, PASS },
	{ __NR_setsockopt, { 3, SOL_SOCKET, SO_MARK }, FAIL(EPERM) },
	{ __NR_setsockopt, { 3, SOL_SOCKET, SO_REUSEADDR }, PASS },
	{ __NR_setsockopt, { 3, SOL_SOCKET, TCP_ULP }, PASS },
	{ __NR_setsockopt, { 3, IPPROTO_TCP, TCP_ULP }, FAIL(ENOENT) },
	{ __NR_setsockopt, { 3, IPPROTO_TCP, TCP_NODELAY }, PASS },
	{ __NR_setsockopt, { 3, IPPROTO_TCP, SO_MARK }, PASS },
	{ __NR_setsockopt, { 3, IPPROTO_IP, IP_TRANSPARENT }, FAIL(EPERM) },
	{ __NR_setsockopt, { 3, IPPROTO_IPV6, 75 }, FAIL(EPERM) },
	{ __NR_setsockopt, { 3, IPPROTO_IPV6, IPV6_V6ONLY }, PASS },
	{ __NR_setsockopt, { 3, IPPROTO_IP, 51 /* IP_LOCAL_PORT_RANGE */ }, FAIL(ENOPROTOOPT) },
	{ __NR_setsockopt, { 3, IPPROTO_TCP, 51 }, PASS },
	{ __NR_setsockopt, { 3, SOL_SOCKET, SO_BINDTODEVICE }, FAIL(EPERM) },
	{ __NR_setsockopt, { 3, IPPROTO_IP, IP_OPTIONS }, FAIL(EPERM) },
	{ __NR_setsockopt, { 3, IPPROTO_IPV6, 32 }, FAIL(EPERM) },
	{ __NR_listen, { 3, 1 }, PASS },
	{ __NR_sendto, { 3, 0, 0, MSG_FASTOPEN | MSG_NOSIGNAL }, FAIL(EPERM) },
	{ __NR_sendto, { 3, 0, MSG_FASTOPEN, MSG_NOSIGNAL }, PASS },
	{ __NR_sendmsg, { 3, 0, MSG_FASTOPEN }, FAIL(EPERM) },
	{ __NR_sendmsg, { 3, 0, MSG_DONTWAIT, MSG_FASTOPEN }, PASS },
	{ __NR_sendmmsg, { 3, 0, 1, MSG_FASTOPEN }, FAIL(EPERM) },
	{ __NR_sendmmsg, { 3, 0, MSG_FASTOPEN, 0 }, PASS },

	{ __NR_kill, { SUPERVISOR, SIGTERM }, FAIL(EPERM) },
	{ __NR_kill, { INIT, 0 }, FAIL(EPERM) },
	{ __NR_kill, { THREAD, SIGKILL }, FAIL(EPERM) },
	{ __NR_kill, { NEG(INIT), SIGKILL }, FAIL(EPERM) },
	{ __NR_kill, { NEG(SUPERVISOR), SIGKILL }, FAIL(EPERM) },
	{ __NR_kill, { INIT - 2, SIGKILL }, PASS },
	{ __NR_kill, { THREAD + 1, SIGKILL }, PASS },
	{ __NR_kill, { FETCHER, SIGKILL }, FAIL(EPERM) },
	{ __NR_kill, { NEG(1), SIGTERM }, PASS }, /* Landlock's to bound */
	{ __NR_kill, { 0, SIGTERM }, PASS },
	{ __NR_kill, { 1, SIGTERM }, ASK }, /* the main process */
	{ __NR_tkill, { THREAD, SIGKILL }, FAIL(EPERM) },
	{ __NR_tkill, { 7, SIGKILL }, PASS },
	{ __NR_tgkill, { INIT, THREAD, SIGKILL }, FAIL(EPERM) },
	{ __NR_tgkill, { 7, THREAD, SIGKILL }, FAIL(EPERM) },
	{ __NR_tgkill, { INIT, 7, SIGKILL }, FAIL(EPERM) },
	{ __NR_tgkill, { 7, 8, THREAD }, PASS },
	{ __NR_tgkill, { 1, 8, SIGHUP }, ASK },
	{ __NR_tgkill, { 7, 1, SIGHUP }, ASK },
	{ __NR_tgkill, { 7, 8, SIGHUP }, PASS },
	{ __NR_tgkill, { 1, THREAD, SIGHUP }, FAIL(EPERM) },
	{ __NR_tgkill, { INIT, 1, SIGHUP }, FAIL(EPERM) },
	{ __NR_rt_tgsigqueueinfo, { 1, 1, SIGHUP }, ASK },
	{ __NR_rt_sigqueueinfo, { 1, SIGHUP }, ASK },
	{ __NR_rt_sigqueueinfo, { 7, 1 }, PASS },
	{ __NR_tkill, { 1, SIGHUP }, ASK },
	{ __NR_rt_sigqueueinfo, { INIT, SIGKILL }, FAIL(EPERM) },
	{ __NR_rt_tgsigqueueinfo, { INIT, THREAD, SIGKILL }, FAIL(EPERM) },
	{ __NR_pidfd_open, { SUPERVISOR, 0 }, FAIL(EPERM) },
	{ __NR_pidfd_open, { THREAD, O_EXCL }, FAIL(EPERM) }, /* PIDFD_THREAD */
	{ __NR_pidfd_open, { 7, 0 }, PASS },
	{ __NR_pidfd_open, { 1, 0 }, ASK },
	{ __NR_getpgid, { 0 }, PASS },
	{ __NR_getpgid, { 7 }, PASS },
	{ __NR_getpgid, { 1 }, ASK },
	{ __NR_getpriority, { 1, 7 }, PASS },
	{ __NR_getpriority, { 0, 1 }, ASK },
	{ __NR_sched_getaffinity, { 1 }, ASK },

	{ __NR_get_robust_list, { 0 }, PASS },
	{ __NR_get_robust_list, { 1 }, FAIL(EPERM) },
	{ __NR_move_pages, { 0 }, PASS },
	{ __NR_move_pages, { 7 }, FAIL(EPERM) },
	{ __NR_migrate_pages, { 7 }, FAIL(EPERM) },
	{ __NR_prlimit64, { 0 }, PASS },
	{ __NR_prlimit64, { 7 }, ASK },
	{ __NR_prlimit64, { 1 }, FAIL(ESRCH) },
	{ __NR_prlimit64, { SUPERVISOR }, FAIL(EPERM) },
	{ __NR_prlimit64, { THREAD }, FAIL(EPERM) },
	{ __NR_prlimit64, { FETCHER }, FAIL(EPERM) },
	{ __NR_sched_setaffinity, { 0 }, PASS },
	{ __NR_sched_setaffinity, { 77 }, ASK },
	{ __NR_sched_setaffinity, { INIT }, FAIL(EPERM) },
	{ __NR_sched_setattr, { 77 }, ASK },
	{ __NR_sched_setparam, { 77 }, ASK },
	{ __NR_sched_setscheduler, { 77 }, ASK },
	{ __NR_setpriority, { PRIO_PROCESS, 0, 5 }, PASS },
	{ __NR_setpriority, { PRIO_PROCESS, 77, 5 }, ASK },
	{ __NR_setpriority, { PRIO_PROCESS, 1, 5 }, FAIL(ESRCH) },
	{ __NR_setpriority, { PRIO_PROCESS, INIT, 5 }, FAIL(EPERM) },
	{ __NR_setpriority, { PRIO_PGRP, 0, 5 }, PASS },
	{ __NR_setpriority, { PRIO_PGRP, 77, 5 }, FAIL(EPERM) },
	{ __NR_setpriority, { PRIO_USER, 0, 5 }, FAIL(EPERM) },
	{ __NR_setpriority, { 3, 0, 5 }, FAIL(EPERM) },
	{ __NR_ioprio_set, { IOPRIO_WHO_PROCESS, 0 }, PASS },
	{ __NR_ioprio_set, { IOPRIO_WHO_PROCESS, 77 }, ASK },
	{ __NR_ioprio_set, { IOPRIO_WHO_PGRP, 0 }, PASS },
	{ __NR_ioprio_set, { IOPRIO_WHO_PGRP, 77 }, FAIL(EPERM) },
	{ __NR_ioprio_set, { IOPRIO_WHO_USER, 0 }, FAIL(EPERM) },
	{ __NR_ioprio_set, { 0, 0 }, FAIL(EPERM) },

	{ __NR_ptrace, { 0, 77 }, FAIL(EPERM) },
	{ __NR_process_vm_readv, { 77 }, FAIL(EPERM) },
	{ __NR_pidfd_getfd, { 77 }, FAIL(EPERM) },
	{ __NR_chroot, { 0 }, PASS },
	{ __NR_shmget, { 0 }, FAIL(EPERM) },
	{ __NR_mq_open, { 0 }, FAIL(EPERM) },
	{ __NR_uname, { 0 }, ASK },
};

static const struct arg_case open_cases[] = {
	{ __NR_ptrace, { 0, 77 }, PASS },
	{ __NR_ptrace, { 16, INIT }, FAIL(EPERM) },
	{ __NR_ptrace, { 16, THREAD }, FAIL(EPERM) },
	{ __NR_ptrace, { 16, SUPERVISOR }, FAIL(EPERM) },
	{ __NR_ptrace, { INIT, 77 }, PASS },
	{ __NR_process_vm_readv, { 77 }, PASS },
	{ __NR_process_vm_readv, { 1 }, FAIL(ESRCH) },
	{ __NR_ptrace, { 16, 1 }, FAIL(ESRCH) },
	{ __NR_process_vm_readv, { SUPERVISOR }, FAIL(EPERM) },
	{ __NR_process_vm_readv, { THREAD }, FAIL(EPERM) },
	{ __NR_process_vm_writev, { 77 }, PASS },
	{ __NR_process_vm_writev, { INIT }, FAIL(EPERM) },
	{ __NR_pidfd_getfd, { 77 }, PASS },
	{ __NR_kcmp, { 77 }, FAIL(EPERM) },
	{ __NR_shmget, { 0 }, PASS },
	{ __NR_mq_open, { 0 }, PASS },
	{ __NR_uname, { 0 }, PASS },
	{ __NR_prlimit64, { 7 }, ASK },
	{ __NR_prlimit64, { 1 }, FAIL(ESRCH) },
};

static struct sock_filter insns[FILTER_MAX];
static size_t n;

static void check_case(const struct arg_case *c, uint64_t high)
{
	struct seccomp_data data = { .nr = c->nr, .arch = BPF_NATIVE_ARCH };
	struct bpf_answer s;

	for (size_t i = 0; i < 6; i++)
		data.args[i] = high << 32 | (i < 4 ? c->args[i] : 0);
	s = bpf_run(insns, n, &data);
	if (s.action == c->want)
		return;
	printf("# %s(%#x, %#x, %#x, %#x) with upper half %#llx: %#x, not %#x\n",
		syscall_row(c->nr)->name, c->args[0], c->args[1], c->args[2], c->args[3],
		(unsigned long long)high, s.action, c->want);
	CHECK_NOT_REACHED("the case");
}

/* With network rules that name addresses and UDP. */
static const struct arg_case net_cases[] = {
	{ __NR_connect, { 3 }, ASK }, { __NR_sendmsg, { 3, 0, 0 }, ASK },
	{ __NR_sendmsg, { 3, 0, MSG_FASTOPEN }, FAIL(EPERM) },
	{ __NR_sendmmsg, { 3, 0, 1, MSG_NOSIGNAL }, ASK },
	{ __NR_sendmmsg, { 3, 0, 1, MSG_FASTOPEN }, FAIL(EPERM) },
	{ __NR_sendto, { 3, 0, 0, MSG_FASTOPEN }, FAIL(EPERM) },
	{ __NR_socket, { AF_INET, SOCK_STREAM, 0 }, PASS },
	{ __NR_socket, { AF_INET, SOCK_STREAM, 262 }, FAIL(EPROTONOSUPPORT) }, /* MPTCP */
	{ __NR_socket, { AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0 }, PASS },
	{ __NR_socket, { AF_INET6, SOCK_DGRAM, IPPROTO_UDP }, PASS },
	{ __NR_socket, { AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE }, FAIL(EPERM) },
	{ __NR_socket, { AF_INET, SOCK_DGRAM, IPPROTO_ICMP }, FAIL(EPERM) },
	{ __NR_socket, { AF_INET, SOCK_RAW, IPPROTO_UDP }, FAIL(EPERM) },
	{ __NR_setsockopt, { 3, SOL_SOCKET, SO_BINDTODEVICE }, FAIL(EPERM) },
	{ __NR_setsockopt, { 3, IPPROTO_IP, IP_OPTIONS }, FAIL(EPERM) },
	{ __NR_setsockopt, { 3, IPPROTO_IP, IP_TOS }, PASS },
	{ __NR_setsockopt, { 3, IPPROTO_IPV6, IPV6_RTHDR }, FAIL(EPERM) },
	{ __NR_setsockopt, { 3, IPPROTO_IPV6, IPV6_PKTINFO }, FAIL(EPERM) },
	{ __NR_setsockopt, { 3, IPPROTO_IPV6, IPV6_RECVPKTINFO }, PASS },
	{ __NR_clone, { CLONE_FILES | SIGCHLD }, ASK },
	{ __NR_clone, { CLONE_FILES | CLONE_NEWNET | SIGCHLD }, FAIL(EPERM) },
	{ __NR_clone, { CLONE_VM | CLONE_VFORK | SIGCHLD }, PASS },
	{ __NR_clone, { 0x3d0f00 }, PASS }, /* pthread_create */
};

/* Where the supervisor shows interfaces. */
static const struct arg_case view_cases[] = {
	{ __NR_socket, { AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE }, ASK },
	{ __NR_socket, { AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG }, ASK },
	{ __NR_socket, { AF_NETLINK, SOCK_RAW, NETLINK_XFRM }, FAIL(EAFNOSUPPORT) },
	{ __NR_socket, { AF_UNIX, SOCK_STREAM, 0 }, PASS },
	{ __NR_socket, { AF_INET, SOCK_STREAM, 0 }, PASS },
	{ __NR_socket, { AF_INET, SOCK_DGRAM, 0 }, ASK },
	{ __NR_socket, { AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK, IPPROTO_UDP }, ASK },
	{ __NR_socket, { AF_INET, SOCK_DGRAM, IPPROTO_ICMP }, FAIL(EPERM) },
	{ __NR_socket, { AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE }, FAIL(EPERM) },
	{ __NR_socket, { AF_INET, SOCK_RAW, IPPROTO_UDP }, FAIL(EPERM) },
	{ __NR_ioctl, { 3, TIOCSTI }, FAIL(EPERM) },
	{ __NR_ioctl, { 3, TCGETS }, PASS },
	{ __NR_ioctl, { 3, FIONREAD }, PASS },
	{ __NR_ioctl, { 3, SIOCSPGRP }, PASS },
	{ __NR_ioctl, { 3, SIOCATMARK }, PASS },
	{ __NR_ioctl, { 3, 0x8907 }, PASS },
	{ __NR_ioctl, { 3, 0x8908 }, FAIL(EPERM) },
	{ __NR_ioctl, { 3, SIOCADDRT }, FAIL(EPERM) },
	{ __NR_ioctl, { 3, SIOCGIFNAME }, ASK },
	{ __NR_ioctl, { 3, SIOCGIFCONF }, ASK },
	{ __NR_ioctl, { 3, SIOCGIFADDR }, ASK },
	{ __NR_ioctl, { 3, SIOCGIFHWADDR }, ASK },
	{ __NR_ioctl, { 3, SIOCGIFINDEX }, ASK },
	{ __NR_ioctl, { 3, SIOCGIFMAP }, ASK },
	{ __NR_ioctl, { 3, SIOCSIFFLAGS }, FAIL(EPERM) },
	{ __NR_ioctl, { 3, SIOCETHTOOL }, FAIL(EOPNOTSUPP) },
	{ __NR_ioctl, { 3, SIOCGARP }, FAIL(EOPNOTSUPP) },
	{ __NR_ioctl, { 3, SIOCOUTQNSD }, PASS },
	{ __NR_ioctl, { 3, 0x894c }, FAIL(EPERM) }, /* SIOCGSKNS */
	{ __NR_ioctl, { 3, SIOCBRADDBR }, FAIL(EPERM) },
	{ __NR_ioctl, { 3, SIOCPROTOPRIVATE }, FAIL(EOPNOTSUPP) },
	{ __NR_ioctl, { 3, 0x89ff }, FAIL(EOPNOTSUPP) },
	{ __NR_ioctl, { 3, 0x8a00 }, PASS },
	{ __NR_ioctl, { 3, 0x8aff }, PASS },
	{ __NR_ioctl, { 3, 0x8b00 }, FAIL(EOPNOTSUPP) },
	{ __NR_ioctl, { 3, 0x8bff }, FAIL(EOPNOTSUPP) },
	{ __NR_ioctl, { 3, 0x8c00 }, PASS },
};

/* As closed as it gets: what is hot passes all the same. */
static const struct arg_case plain_cases[] = {
	{ __NR_bind, { 3 }, ASK },
	{ __NR_accept, { 3, 1 }, PASS },
	{ __NR_accept4, { 3, 1 }, PASS },
	{ __NR_getsockname, { 3 }, PASS },
	{ __NR_getpeername, { 3 }, PASS },
	{ __NR_recvfrom, { 3 }, PASS },
	{ __NR_recvmsg, { 3 }, PASS },
	{ __NR_recvmmsg, { 3 }, PASS },
};

/* With ports that are replaced, and datagrams. */
static const struct arg_case names_cases[] = {
	{ __NR_listen, { 3, 1 }, ASK },
	{ __NR_bind, { 3 }, ASK },
	{ __NR_accept, { 3, 1 }, ASK },
	{ __NR_accept4, { 3, 1 }, ASK },
	{ __NR_getsockname, { 3 }, ASK },
	{ __NR_getpeername, { 3 }, ASK },
	{ __NR_recvmsg, { 3 }, ASK },
	{ __NR_recvmsg, { 3, 0, MSG_CMSG_CLOEXEC }, PASS },
	{ __NR_recvmmsg, { 3 }, ASK },
	{ __NR_recvmmsg, { 3, 0, 1, MSG_CMSG_CLOEXEC }, PASS },
};

static void check_pointer(int nr, int arg, uint64_t value, uint32_t want)
{
	struct seccomp_data data = { .nr = nr, .arch = BPF_NATIVE_ARCH };

	data.args[arg] = value;
	CHECK(bpf_run(insns, n, &data).action == want);
}

static void check_cases(const struct filter_params *p, const struct arg_case *cases, size_t count)
{
	struct sl_err err;

	CHECK(filter_build(p, insns, FILTER_MAX, &n, &err) == 0);
	for (size_t i = 0; i < count; i++) {
		check_case(&cases[i], 0);
		check_case(&cases[i], 0xdeadbeef);
		check_case(&cases[i], 0xffffffff);
	}
}

static struct filter_params shielding(struct filter_params p)
{
	p.supervisor = SUPERVISOR;
	p.init = INIT;
	p.init_thread = THREAD;
	p.init_fetcher = FETCHER;
	return p;
}

static const struct arg_case unix_cases[] = {
	{ __NR_socket, { AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0 }, FAIL(EPERM) },
	{ __NR_socket, { AF_UNIX, SOCK_RAW, 0 }, FAIL(EPERM) },
	{ __NR_socketpair, { AF_UNIX, SOCK_DGRAM, 0 }, FAIL(EPERM) },
};
#define PARAMS(...)           shielding((struct filter_params){ __VA_ARGS__ })
#define CHECK_CASES(p, cases) check_cases(p, cases, COUNT(cases))

int main(void)
{
	const struct filter_params closed = PARAMS(.trap_uname = true);
	const struct filter_params open =
		PARAMS(.allow_trace = true, .allow_sysv_ipc = true, .allow_mqueue = true);
	const struct filter_params net = PARAMS(.trap_connect = true, .allow_udp = true);
	const struct filter_params view = PARAMS(.view = true);
	const struct filter_params first = PARAMS(.trap_getpid = true);
	const struct filter_params busy = PARAMS(.trap_busy = true);
	const struct filter_params bound = PARAMS(.bind_cpus = true);
	const struct filter_params plain = PARAMS(.trap_bind = true);
	const struct filter_params judged = PARAMS(.trap_connect = true, .judge_unix = true);
	struct filter_params names = net;

	names.trap_bind = names.trap_names = names.trap_listen = true;
	CHECK_CASES(&judged, unix_cases);
	CHECK_CASES(&bound, bound_cases);
	CHECK_CASES(&view, view_cases);
	CHECK_CASES(&first, getpid_cases);
	CHECK_CASES(&busy, busy_cases);
	CHECK_CASES(&view, calm_cases);
	CHECK_CASES(&closed, closed_cases);
	CHECK_CASES(&open, open_cases);
	CHECK_CASES(&net, net_cases);
	CHECK_CASES(&plain, plain_cases);
	CHECK_CASES(&names, names_cases);
	/* An address is wanted when the pointer is not NULL, all of it. */
	check_pointer(__NR_accept, 1, 0, PASS);
	check_pointer(__NR_accept4, 1, 1ULL << 32, ASK);
	check_pointer(__NR_recvfrom, 4, 0, PASS);
	check_pointer(__NR_recvfrom, 4, 1, ASK);
	check_pointer(__NR_recvfrom, 4, 1ULL << 32, ASK);
	return check_done();
}
