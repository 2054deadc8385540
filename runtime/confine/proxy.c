/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/confine/proxy.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "runtime/base/cleanup.h"
#include "runtime/confine/identity.h"
#include "runtime/confine/landlock.h"
#include "runtime/confine/landlock_abi.h"
#include "runtime/confine/own_filter.h"

static const int proxy_calls[] = {
#ifdef SYS_epoll_wait /* on architectures without this call the C library uses epoll_pwait */
	SYS_epoll_wait,
#endif
	SYS_epoll_pwait,
	SYS_recvfrom,
	SYS_sendto,
	SYS_read,
	SYS_write,
	SYS_sendmsg,
	SYS_recvmsg,
	SYS_writev,
	SYS_readv,
	SYS_epoll_ctl,
	SYS_close,
	SYS_shutdown,
	SYS_setsockopt,
	SYS_getsockopt,
	SYS_fcntl,
	SYS_openat,
	SYS_openat2,
	SYS_fstat,
	SYS_newfstatat,
	SYS_pread64,
	SYS_lseek,
	SYS_munmap,
	SYS_mremap,
	SYS_brk,
	SYS_madvise,
	SYS_mlock,
	SYS_munlock,
	SYS_futex,
	SYS_getpid,
	SYS_gettid,
	SYS_clock_gettime,
	SYS_getrandom,
	SYS_rt_sigprocmask,
	SYS_rt_sigaction,
	SYS_rt_sigreturn,
	SYS_restart_syscall,
	SYS_tgkill,
	SYS_exit,
	SYS_exit_group,
};

#define RULE_SOCKET  1 /* the kernel's verdicts do not use these numbers */
#define RULE_MAPPING 2
#define TYPE_MASK    0xfU /* SOCK_TYPE_MASK of the kernel */

static bpf_node tcp_only(struct bpf *b)
{
	static const uint32_t families[] = { AF_INET, AF_INET6 };
	bpf_node deny = bpf_ret(b, OWN_FILTER_DENY);
	bpf_node next = bpf_if(b, BPF_JEQ, 0, bpf_ret(b, SECCOMP_RET_ALLOW), deny);

	next = bpf_load(b, BPF_ARG_LOW(2), next);
	next = bpf_if(b, BPF_JEQ, SOCK_STREAM, next, deny);
	next = bpf_and(b, TYPE_MASK, next);
	next = bpf_load(b, BPF_ARG_LOW(1), next);
	next = bpf_if_any(b, families, sizeof(families) / sizeof(families[0]), next, deny);
	return bpf_load(b, BPF_ARG_LOW(0), next);
}

/* No memory can become executable. */
static bpf_node no_program(struct bpf *b)
{
	bpf_node next = bpf_if(
		b, BPF_JSET, PROT_EXEC, bpf_ret(b, OWN_FILTER_DENY), bpf_ret(b, SECCOMP_RET_ALLOW));

	return bpf_load(b, BPF_ARG_LOW(2), next);
}

static bpf_node proxy_leaf(void *context, struct bpf *b, uint64_t decision)
{
	(void)context;
	switch (decision) {
	case RULE_SOCKET: return tcp_only(b);
	case RULE_MAPPING: return no_program(b);
	default: return bpf_ret(b, (uint32_t)decision);
	}
}

static uint64_t proxy_decide(uint32_t nr, const void *context)
{
	(void)context;
	if (nr == SYS_socket)
		return RULE_SOCKET;
	if (nr == SYS_mmap || nr == SYS_mprotect)
		return RULE_MAPPING;
	for (size_t i = 0; i < sizeof(proxy_calls) / sizeof(proxy_calls[0]); i++)
		if ((uint32_t)proxy_calls[i] == nr)
			return SECCOMP_RET_ALLOW;
	return OWN_FILTER_DENY;
}

/* Enters a Landlock domain with the rights that this kernel has. Whether a kernel without Landlock
 * is acceptable was the node's decision (protections.waive); landlock_create_ruleset(2) names the
 * errors of such a kernel. */
static int proxy_restrict(const int *read_fds, size_t n)
{
	const int abi = landlock_abi();
	struct landlock_rights rights = landlock_abi_rights(abi);
	auto_fd int ruleset_fd = -1;

	if (abi == 0)
		return errno == ENOSYS || errno == EOPNOTSUPP ? 0 : -1;
	if (rights.net)
		rights.net |= LANDLOCK_ACCESS_NET_BIND_TCP;
	ruleset_fd = (int)syscall(SYS_landlock_create_ruleset, &rights, sizeof(rights), 0);
	if (ruleset_fd < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct landlock_path_beneath_attr attr = {
			.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE,
			.parent_fd = read_fds[i],
		};

		if (syscall(SYS_landlock_add_rule, ruleset_fd, LANDLOCK_RULE_PATH_BENEATH, &attr,
			    0) < 0)
			return -1;
	}
	return (int)syscall(SYS_landlock_restrict_self, ruleset_fd, 0);
}

int confine_proxy(const int *read_fds, size_t n_read_fds, struct sl_err *err)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) < 0)
		return sl_err_set(err, errno, "no_new_privs");
	if (proxy_restrict(read_fds, n_read_fds) < 0)
		return sl_err_set(err, errno, "landlock");
	if (identity_hold_caps(0, 0) < 0)
		return sl_err_set(err, errno, "drop capabilities");
	if (own_filter_install(proxy_decide, proxy_leaf, NULL) < 0)
		return sl_err_set(err, errno, "filter");
	return 0;
}
