/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/confine/self.h"

#include <linux/capability.h>
#include <linux/netlink.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/brief.h"
#include "runtime/confine/identity.h"
#include "runtime/confine/own_filter.h"

/* The calls that the event loop needs. The supervisor executes no program, opens no connection of
 * its own and mounts nothing. The most frequent calls come first. */
static const int allowed[] = {
/* on architectures without the older calls the C library uses the newer ones */
#ifdef SYS_epoll_wait
	SYS_epoll_wait,
	SYS_poll,
#endif
	SYS_epoll_pwait,
	SYS_ioctl,
	SYS_ppoll,
	SYS_recvmsg,
	SYS_sendmsg,
	SYS_sendto,
	SYS_recvfrom,
	SYS_statx,
	SYS_process_vm_readv,
	SYS_pwrite64,
	SYS_setfsuid,
	SYS_read,
	SYS_write,
	SYS_close,
	SYS_openat,
	SYS_openat2,
	SYS_epoll_ctl,
	SYS_accept4,
	SYS_getsockopt,
	SYS_setsockopt,
	SYS_socketpair,
	SYS_fcntl,
	SYS_newfstatat,
	SYS_fstat,
	SYS_uname,
	SYS_sysinfo,
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
	SYS_getegid,
	SYS_getgroups,
	SYS_pidfd_open,
	SYS_pidfd_send_signal,
	SYS_prlimit64,
	SYS_sched_setaffinity,
	SYS_sched_setattr,
	SYS_ioprio_set,
	SYS_getpriority,
	SYS_ioprio_get,
	SYS_sched_getscheduler,
	SYS_sched_getparam,
	SYS_sched_getattr,
	SYS_sched_getaffinity,
	SYS_sched_rr_get_interval,
	SYS_getpgid,
	SYS_getsid,
	SYS_setpriority,
	SYS_sched_setscheduler,
	SYS_sched_setparam,
	SYS_setresuid,
	SYS_setresgid,
	SYS_setfsgid,
	SYS_setgroups,
	SYS_capget,
	SYS_capset,
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
#ifdef __SANITIZE_ADDRESS__
	SYS_sigaltstack, /* the sanitizer's, before each function that does not return */
#endif
	SYS_clock_gettime,
	SYS_clock_getres,
	SYS_clock_nanosleep,
	SYS_nanosleep,
	SYS_restart_syscall,
	SYS_exit,
	SYS_exit_group,
	SYS_getrandom,
	SYS_setrlimit,
	SYS_timerfd_settime,
	/* for a child process that does what may be slow */
	SYS_readlinkat,
	SYS_set_robust_list,
#ifdef SYS_dup2
	SYS_dup2,
#endif
	SYS_dup3,
	SYS_close_range,
};

static const int calls_bind[] = { SYS_bind, SYS_pidfd_getfd, SYS_getsockname, SYS_getpeername,
	SYS_flock, SYS_timer_settime, SYS_fchdir, SYS_umask, SYS_landlock_create_ruleset,
	SYS_landlock_add_rule, SYS_landlock_restrict_self };
static const int calls_connect[] = { SYS_connect, SYS_pidfd_getfd, SYS_timer_settime, SYS_fchdir,
	SYS_fstatfs };
static const int calls_divert[] = { SYS_listen, SYS_shutdown, SYS_getsockname, SYS_getpeername };
static const int calls_listen[] = { SYS_listen, SYS_shutdown, SYS_pidfd_getfd, SYS_getsockname };
static const int calls_ipc[] = { SYS_shmget, SYS_shmctl, SYS_semget, SYS_semctl, SYS_msgget,
	SYS_msgctl, SYS_mq_open, SYS_mq_unlink, SYS_flock, SYS_ftruncate, SYS_fallocate };
static const int calls_show[] = { SYS_pidfd_getfd, SYS_bind, SYS_connect, SYS_shutdown };

static const int calls_sample[] = { SYS_rt_sigtimedwait, SYS_fstatfs, SYS_kcmp,
	SYS_process_mrelease };

#define BIT(cap) (1ULL << (cap))

/* SYS_ADMIN and NET_ADMIN are held until the network namespace has been created. */
#define VIEW_CAPS    (BIT(CAP_SYS_ADMIN) | BIT(CAP_NET_ADMIN))

#define RULE_UNSHARE 1 /* decisions; the kernel's verdicts do not use these numbers */
#define RULE_SOCKET  2
#define RULE_FORK    3
#define RULE_ASK     4 /* move_pages(2) without nodes, which only reports where pages are */

/* fork(2) of the C library */
#define FORK_FLAGS  (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD)

#define CALLS(list) list, sizeof(list) / sizeof((list)[0])

static const struct {
	const int *calls;
	size_t n_calls;
	uint64_t caps;
	/* those of caps that are effective only while the supervisor helps a caller that has
	 * them */
	uint64_t lent;
	const char *why;
} table[DUTY_COUNT] = {
	[DUTY_ALWAYS] = { CALLS(allowed),
		BIT(CAP_SYS_PTRACE) | BIT(CAP_SETUID) | BIT(CAP_SETGID) | BIT(CAP_KILL) |
			BIT(CAP_CHOWN) | BIT(CAP_SYS_RESOURCE) | BIT(CAP_SYS_NICE),
		0,
		"PTRACE, SETUID: look into callers and answer into their memory, even of other "
		"users; SETUID, SETGID: be the caller while acting for it; KILL: end processes of "
		"other users; CHOWN: terminals of exec'd processes; "
		"RESOURCE, NICE: their limits" },
	[DUTY_LOOK_UP] = { NULL, 0, BIT(CAP_DAC_READ_SEARCH), 0, "a path of the caller's" },
	[DUTY_BIND] = { CALLS(calls_bind), BIT(CAP_NET_BIND_SERVICE) | BIT(CAP_DAC_OVERRIDE),
		BIT(CAP_NET_BIND_SERVICE) | BIT(CAP_DAC_OVERRIDE),
		"acts on its containers' sockets, makes none of its own" },
	[DUTY_CONNECT] = { CALLS(calls_connect), BIT(CAP_DAC_OVERRIDE), BIT(CAP_DAC_OVERRIDE),
		"as the caller, which may have all rights to files" },
	[DUTY_DIVERT] = { CALLS(calls_divert), 0, 0,
		"accepts its containers' sockets on one that is there already" },
	[DUTY_LISTEN] = { CALLS(calls_listen), 0, 0, "as the caller" },
	[DUTY_IPC] = { CALLS(calls_ipc), 0, 0,
		"as the owner of the objects; what it names has come from the pod's table" },
	[DUTY_SHOW] = { CALLS(calls_show), VIEW_CAPS, 0,
		"what it makes there is fetched by the containers, see runtime/view" },
	[DUTY_SAMPLE] = { CALLS(calls_sample),
		BIT(CAP_SYS_PTRACE) | BIT(CAP_KILL) | BIT(CAP_DAC_READ_SEARCH) |
			BIT(CAP_CHECKPOINT_RESTORE) | BIT(CAP_SYS_NICE),
		0,
		"PTRACE, DAC_READ_SEARCH: what processes of other users hold and have open; "
		"CHECKPOINT_RESTORE: what they have mapped; KILL, SYS_NICE: to end one soon" },
};

struct choice {
	bool yes[OWN_FILTER_NUMBERS];
	const bool *duties;
};

static bool has_duty(const bool *duties, enum duty d)
{
	return d == DUTY_ALWAYS || duties[d];
}

/* The argument must have exactly this value. */
static bpf_node rule_is(struct bpf *b, int arg, uint32_t value)
{
	bpf_node denied = bpf_ret(b, OWN_FILTER_DENY);
	bpf_node next = bpf_if(b, BPF_JEQ, 0, bpf_ret(b, SECCOMP_RET_ALLOW), denied);

	next = bpf_load(b, BPF_ARG_HIGH(arg), next);
	next = bpf_if(b, BPF_JEQ, value, next, denied);
	return bpf_load(b, BPF_ARG_LOW(arg), next);
}

static bpf_node rule_fork(struct bpf *b)
{
	static const uint32_t flags[] = { FORK_FLAGS, BRIEF_CLOSE_FLAGS };
	bpf_node denied = bpf_ret(b, OWN_FILTER_DENY), allowed_node = bpf_ret(b, SECCOMP_RET_ALLOW);
	bpf_node next =
		bpf_if_any(b, flags, sizeof(flags) / sizeof(flags[0]), allowed_node, denied);

	next = bpf_if(b, BPF_JEQ, 0, bpf_load(b, BPF_ARG_LOW(0), next), denied);
	return bpf_load(b, BPF_ARG_HIGH(0), next);
}

/* Only the families that a container may use. The supervisor creates all these sockets in another
 * namespace than the host's. */
static bpf_node self_rule_socket(struct bpf *b)
{
	static const uint32_t families[] = { AF_UNIX, AF_INET, AF_INET6 };
	static const uint32_t protocols[] = { NETLINK_ROUTE, NETLINK_SOCK_DIAG };
	bpf_node denied = bpf_ret(b, OWN_FILTER_DENY), allowed_node = bpf_ret(b, SECCOMP_RET_ALLOW);
	bpf_node netlink = bpf_load(b, BPF_ARG_LOW(2),
		bpf_if_any(b, protocols, sizeof(protocols) / sizeof(protocols[0]), allowed_node,
			denied));
	bpf_node next = bpf_if(b, BPF_JEQ, AF_NETLINK, netlink, denied);

	next = bpf_if_any(b, families, sizeof(families) / sizeof(families[0]), allowed_node, next);
	return bpf_load(b, BPF_ARG_LOW(0), next);
}

static bpf_node self_leaf(void *context, struct bpf *b, uint64_t decision)
{
	(void)context;
	if (decision == RULE_UNSHARE)
		return rule_is(b, 0, CLONE_NEWNET);
	if (decision == RULE_FORK)
		return rule_fork(b);
	if (decision == RULE_ASK)
		return rule_is(b, 3, 0);
	return decision == RULE_SOCKET ? self_rule_socket(b) : bpf_ret(b, (uint32_t)decision);
}

static uint64_t decide(uint32_t nr, const bool *yes, const bool *duties)
{
	if (duties[DUTY_SHOW] && nr == SYS_unshare)
		return RULE_UNSHARE;
	if (duties[DUTY_SHOW] && nr == SYS_socket)
		return RULE_SOCKET;
	if (nr == SYS_clone)
		return RULE_FORK;
	if (nr == SYS_move_pages)
		return RULE_ASK;
	return yes[nr] ? SECCOMP_RET_ALLOW : OWN_FILTER_DENY;
}

static uint64_t decide_for(uint32_t nr, const void *context)
{
	const struct choice *choice = context;

	return decide(nr, choice->yes, choice->duties);
}

static int install_filter(const bool *duties)
{
	struct choice choice = { .duties = duties };

	for (enum duty d = 0; d < DUTY_COUNT; d++)
		for (size_t i = 0; has_duty(duties, d) && i < table[d].n_calls; i++)
			choice.yes[table[d].calls[i]] = true;
	return own_filter_install(decide_for, self_leaf, &choice);
}

struct held {
	uint64_t permitted, effective;
};

static int read_held(struct held *ret)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct now[2];

	if (syscall(SYS_capget, &head, now) < 0)
		return -1;
	ret->permitted = (uint64_t)now[1].permitted << 32 | now[0].permitted;
	ret->effective = (uint64_t)now[1].effective << 32 | now[0].effective;
	return 0;
}

int confine_supervisor_shows(void)
{
	struct spec_caps caps = { .set = true };
	struct held now;

	if (read_held(&now) < 0)
		return -1;
	caps.permitted = now.permitted & ~VIEW_CAPS;
	caps.effective = now.effective & ~VIEW_CAPS;
	return identity_lower_caps(&caps);
}

int confine_sampler(void)
{
	const bool duties[DUTY_COUNT] = { [DUTY_SAMPLE] = true };
	struct held now;

	if (read_held(&now) < 0 ||
		identity_hold_caps(table[DUTY_SAMPLE].caps & now.permitted, 0) < 0 ||
		prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) < 0)
		return -1;
	return install_filter(duties);
}

int confine_supervisor(int root_fd, const bool duties[DUTY_COUNT], struct sl_err *err)
{
	uint64_t keep = 0, lent = 0;
	struct held now;

	for (enum duty d = 0; d < DUTY_COUNT; d++) {
		keep |= has_duty(duties, d) ? table[d].caps : 0;
		lent |= has_duty(duties, d) ? table[d].lent : 0;
	}
	if (fchdir(root_fd) < 0 || chroot(".") < 0)
		return sl_err_set(err, errno, "supervisor: enter the tree");
	if (read_held(&now) < 0)
		return sl_err_set(err, errno, "supervisor: read capabilities");
	if (identity_hold_caps(keep & now.permitted, lent) < 0)
		return sl_err_set(err, errno, "supervisor: drop capabilities");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) < 0)
		return sl_err_set(err, errno, "supervisor: no_new_privs");
	if (install_filter(duties) < 0)
		return sl_err_set(err, errno, "supervisor: filter");
	return 0;
}
