/* SPDX-License-Identifier: Apache-2.0
 *
 * One function per verdict of syscalls.h. Only low halves of arguments are looked at: the
 * prototype in the kernel of every call here has int, unsigned int or pid_t in that place
 * (clone: lower_32_bits(); ptrace: the pid goes through a pid_t; F_SETSIG: the signal goes
 * through an int), so the kernel drops the upper half too and a comparison of 64 bits
 * could be evaded with rubbish in it. tests/unit/confine/filter_args.c tries exactly that.
 */
#include "runtime/confine/filter_rules.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ioprio.h>
#include <linux/kd.h>
#include <linux/netlink.h>
#include <linux/prctl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/socket.h>

#include "runtime/base/signals.h"

#define SOCKET_TYPE_MASK 0xf /* SOCK_TYPE_MASK of the kernel: the rest are flags */

/* Of CLONE_NEWTIME there is only the bit: in clone(2) it lies in the number of the exit
 * signal, where no signal reaches. */
#define CLONE_NEW_ANY                                                                              \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |             \
		CLONE_NEWPID | CLONE_NEWNET | 0x80U)

#define PERSONA_QUERY 0xffffffffU

#ifndef SO_BINDTOIFINDEX
#define SO_BINDTOIFINDEX 62
#endif
#ifndef IPV6_UNICAST_IF
#define IPV6_UNICAST_IF 76
#endif
#ifndef IPV6_FLOWLABEL_MGR
#define IPV6_FLOWLABEL_MGR 32 /* linux/in6.h, which the C library's header excludes */
#endif
#ifndef IP_LOCAL_PORT_RANGE
#define IP_LOCAL_PORT_RANGE 51 /* 6.3 */
#endif
#ifndef F_SETDELEG
#define F_SETDELEG (F_SETLEASE + 16) /* 6.19 */
#endif
#ifndef IPV6_2292RTHDR
#define IPV6_2292RTHDR 5
#endif
#ifndef IPV6_2292PKTOPTIONS
#define IPV6_2292PKTOPTIONS 6
#endif
#ifndef IPV6_TRANSPARENT
#define IPV6_TRANSPARENT 75
#endif
#ifndef PR_SET_IO_FLUSHER
#define PR_SET_IO_FLUSHER 57
#endif
#ifndef PR_SCHED_CORE
#define PR_SCHED_CORE 62
#endif

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bpf_node pass(struct filter_rules *r)
{
	return bpf_ret(r->b, SECCOMP_RET_ALLOW);
}

static bpf_node fail(struct filter_rules *r, int code)
{
	return bpf_ret(r->b, SECCOMP_RET_ERRNO | (uint32_t)code);
}

void filter_rules_begin(struct filter_rules *r, const struct filter_params *p, struct bpf *b)
{
	const pid_t ids[FILTER_SHIELDED] = { p->supervisor, p->init, p->init_thread,
		p->init_fetcher };

	r->params = p;
	r->b = b;
	for (size_t i = 0; i < FILTER_SHIELDED; i++) {
		r->shielded[i] = (uint32_t)ids[i];
		r->negated[i] = (uint32_t)-ids[i];
	}
}

static bool has_datagrams(const struct filter_params *p)
{
	return p->allow_udp || p->allow_ping;
}

enum syscall_verdict filter_resolve(const struct filter_params *p, const struct syscall_row *row)
{
	const enum syscall_verdict verdict = row->verdict;

	if ((verdict == VERDICT_SYSV_IPC || verdict == VERDICT_MQUEUE) && p->own_ipc)
		return verdict;
	if (verdict == VERDICT_SYSV_IPC)
		return p->allow_sysv_ipc ? VERDICT_ALLOW : VERDICT_REFUSE;
	if (verdict == VERDICT_MQUEUE)
		return p->allow_mqueue ? VERDICT_ALLOW : VERDICT_REFUSE;
	if (verdict == VERDICT_GETPID && !p->trap_getpid)
		return VERDICT_ALLOW;
	if (verdict == VERDICT_UNAME && !p->trap_uname)
		return VERDICT_ALLOW;
	if ((verdict == VERDICT_BUSY || verdict == VERDICT_UNLINKAT) && !p->trap_busy)
		return VERDICT_ALLOW;
	if (verdict == VERDICT_TRACE && !p->allow_trace)
		return VERDICT_REFUSE;
	if (verdict == VERDICT_CONNECT && !p->trap_connect)
		return VERDICT_ALLOW;
	if (verdict == VERDICT_BIND && !p->trap_bind)
		return VERDICT_ALLOW;
	if (verdict == VERDICT_LISTEN && !p->trap_listen)
		return VERDICT_ALLOW;
	if ((verdict == VERDICT_NAME || verdict == VERDICT_ACCEPT) && !p->trap_names)
		return VERDICT_ALLOW;
	if ((verdict == VERDICT_RECVFROM || verdict == VERDICT_RECVMSG) &&
		!(p->trap_names && has_datagrams(p)))
		return VERDICT_ALLOW;
	if ((verdict == VERDICT_SENDTO || verdict == VERDICT_SENDMSG) && !has_datagrams(p))
		return VERDICT_SEND;
	return verdict;
}

/* Where the supervisor lets a call on a unix socket go on, it relies on that nobody else
 * can put another socket in its place. Threads it can see; with datagrams it is told of processes
 * that are going to share a table of descriptors. */
static bpf_node rule_clone(struct filter_rules *r, int arg)
{
	bpf_node next = pass(r);

	if (has_datagrams(r->params)) {
		bpf_node thread = bpf_if(
			r->b, BPF_JSET, CLONE_THREAD, next, bpf_ret(r->b, SECCOMP_RET_USER_NOTIF));

		next = bpf_if(r->b, BPF_JSET, CLONE_FILES, thread, next);
	}
	next = bpf_if(r->b, BPF_JSET, CLONE_NEW_ANY, fail(r, EPERM), next);
	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* Commands to network devices (linux/sockios.h). What comes before them is of the socket. */
#define DEVICE_FIRST   0x8908
#define DEVICE_LAST    0x89ff
#define DEVICE_PRIVATE SIOCPROTOPRIVATE
#define WIRELESS_FIRST 0x8b00 /* SIOCIWFIRST, linux/wireless.h */
#define WIRELESS_LAST  0x8bff

static bpf_node rule_device(struct filter_rules *r)
{
	static const uint32_t asked[] = { SIOCGIFNAME, SIOCGIFCONF, SIOCGIFFLAGS, SIOCGIFADDR,
		SIOCGIFDSTADDR, SIOCGIFBRDADDR, SIOCGIFNETMASK, SIOCGIFMETRIC, SIOCGIFMEM,
		SIOCGIFMTU, SIOCGIFHWADDR, SIOCGIFINDEX, SIOCGIFPFLAGS, SIOCGIFTXQLEN, SIOCGIFMAP };
	/* Ways to read the host's devices: as of a device that cannot do it. */
	static const uint32_t unsupported[] = { SIOCGIFENCAP, SIOCGIFSLAVE, SIOCGIFCOUNT, SIOCGIFBR,
		SIOCETHTOOL, SIOCGMIIPHY, SIOCGMIIREG, SIOCGARP, SIOCGRARP, SIOCGIFVLAN,
		SIOCBONDSLAVEINFOQUERY, SIOCBONDINFOQUERY, SIOCGHWTSTAMP };
	bpf_node none = fail(r, EOPNOTSUPP);
	bpf_node next = fail(r, EPERM);

	next = bpf_if(r->b, BPF_JGE, DEVICE_PRIVATE, none, next);
	next = bpf_if_any(r->b, unsupported, COUNT(unsupported), none, next);
	/* What a TCP socket has not sent yet: of the socket itself. */
	next = bpf_if(r->b, BPF_JEQ, SIOCOUTQNSD, pass(r), next);
	return bpf_if_any(r->b, asked, COUNT(asked), bpf_ret(r->b, SECCOMP_RET_USER_NOTIF), next);
}

/* Most commands are smaller than all of a network device's: they pass it by at once. */
static bpf_node before_devices(struct filter_rules *r, bpf_node next)
{
	bpf_node device, wireless;

	if (!r->params->view)
		return next;
	device = rule_device(r);
	wireless = bpf_if(r->b, BPF_JGT, WIRELESS_LAST, next, fail(r, EOPNOTSUPP));
	wireless = bpf_if(r->b, BPF_JGE, WIRELESS_FIRST, wireless, next);
	device = bpf_if(r->b, BPF_JGT, DEVICE_LAST, wireless, device);
	return bpf_if(r->b, BPF_JGE, DEVICE_FIRST, device, next);
}

#define IOCTL_COMMAND_MASK 0xffffU /* type and number, without size and direction */
#define PIDFD_INFO_COMMAND 0xff0bU

static bpf_node rule_ioctl(struct filter_rules *r, int arg)
{
	static const uint32_t refused[] = { TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS, KDSKBENT,
		KDSKBSENT, KDSKBDIACR, KDSKBDIACRUC, KDSETKEYCODE };
	bpf_node next = bpf_if_any(r->b, refused, COUNT(refused), fail(r, EPERM), pass(r));
	bpf_node again = bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), before_devices(r, next));
	/* PIDFD_GET_INFO, whatever the size of its structure: parent, user and cgroup of any
	 * process that exists. As on kernels before 6.13. */
	bpf_node info = bpf_if(r->b, BPF_JEQ, PIDFD_INFO_COMMAND, fail(r, ENOTTY), again);

	return bpf_load(
		r->b, BPF_ARG_LOW((unsigned int)arg), bpf_and(r->b, IOCTL_COMMAND_MASK, info));
}

/* mknod: Landlock withholds block devices and lets pass character devices for one: 0:0, which opens
 * nothing and stands for a file that is not there (overlayfs). */
static bpf_node rule_mknod(struct filter_rules *r, int arg)
{
	bpf_node passed = pass(r);
	bpf_node next = bpf_if(r->b, BPF_JEQ, 0, passed, fail(r, EPERM));

	next = bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg + 1), next);
	next = bpf_if(r->b, BPF_JEQ, S_IFCHR, next, passed);
	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), bpf_and(r->b, S_IFMT, next));
}

/* Leases are refused as file systems refuse that have none: who opens a file waits up to 45 seconds
 * for one to be given up, and files of sysfs are the host's. */
static bpf_node rule_fcntl(struct filter_rules *r, int arg)
{
	/* And what the C library keeps for itself, which its own calls never block. */
	static const uint32_t refused[] = { SIGKILL, SIGSTOP, SIGNALS_LIBRARY_FIRST,
		SIGNALS_LIBRARY_LAST };
	bpf_node passed = pass(r), no_lease = fail(r, EINVAL);
	bpf_node signal = bpf_if_any(r->b, refused, COUNT(refused), fail(r, EPERM), passed);
	bpf_node lease =
		bpf_load(r->b, BPF_ARG_LOW(2), bpf_if(r->b, BPF_JEQ, F_UNLCK, passed, no_lease));
	bpf_node next = bpf_if(r->b, BPF_JEQ, F_SETDELEG, no_lease, passed);

	next = bpf_if(r->b, BPF_JEQ, F_SETLEASE, lease, next);
	signal = bpf_load(r->b, BPF_ARG_LOW(2), signal);
	next = bpf_if(r->b, BPF_JEQ, F_SETSIG, signal, next);
	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* prctl(PR_SCHED_CORE, command, pid, type, cookie) */
static bpf_node rule_prctl(struct filter_rules *r, int arg)
{
	static const uint32_t refused[] = { PR_SET_MM, PR_SET_IO_FLUSHER };
	bpf_node passed = pass(r);
	bpf_node failed = fail(r, EPERM);
	bpf_node core = bpf_load(r->b, BPF_ARG_LOW(2), bpf_if(r->b, BPF_JEQ, 0, passed, failed));
	bpf_node next = bpf_if(r->b, BPF_JEQ, PR_SCHED_CORE, core, passed);

	next = bpf_if_any(r->b, refused, COUNT(refused), failed, next);
	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

static bpf_node rule_personality(struct filter_rules *r, int arg)
{
	static const uint32_t passed[] = { PER_LINUX, PER_LINUX32, UNAME26, UNAME26 | PER_LINUX32,
		PERSONA_QUERY };
	bpf_node next = bpf_if_any(r->b, passed, COUNT(passed), pass(r), fail(r, EPERM));

	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* Without a rule for UDP, where interfaces are shown, the supervisor makes a socket that can
 * be asked about them and carries nothing (runtime/view). */
static bpf_node rule_datagram(struct filter_rules *r)
{
	static const uint32_t udp[] = { 0, IPPROTO_UDP }, ping[] = { IPPROTO_ICMP, IPPROTO_ICMPV6 };
	const struct filter_params *p = r->params;
	bpf_node next = fail(r, EPERM);

	if (!has_datagrams(p) && !p->view)
		return next;
	if (p->allow_ping)
		next = bpf_if_any(r->b, ping, COUNT(ping), pass(r), next);
	if (p->allow_udp)
		next = bpf_if_any(r->b, udp, COUNT(udp), pass(r), next);
	else if (p->view)
		next = bpf_if_any(
			r->b, udp, COUNT(udp), bpf_ret(r->b, SECCOMP_RET_USER_NOTIF), next);
	return bpf_load(r->b, BPF_ARG_LOW(2), next);
}

/* socket(family, type, protocol) */
static bpf_node rule_socket(struct filter_rules *r)
{
	static const uint32_t protocols[] = { 0, IPPROTO_TCP };
	bpf_node passed = pass(r);
	bpf_node no_family = fail(r, EAFNOSUPPORT);
	bpf_node stream, inet, netlink, ask, next;

	ask = bpf_ret(r->b, SECCOMP_RET_USER_NOTIF);
	netlink = r->params->own_stack ? passed : ask;
	netlink = bpf_if(r->b, BPF_JEQ, NETLINK_SOCK_DIAG, netlink, no_family);
	netlink = bpf_if(r->b, BPF_JEQ, NETLINK_ROUTE, r->params->view ? ask : passed, netlink);
	netlink = bpf_load(r->b, BPF_ARG_LOW(2), netlink);
	stream = bpf_if_any(r->b, protocols, COUNT(protocols), passed, fail(r, EPROTONOSUPPORT));
	stream = bpf_load(r->b, BPF_ARG_LOW(2), stream);
	inet = bpf_if(r->b, BPF_JEQ, SOCK_DGRAM, rule_datagram(r), fail(r, EPERM));
	inet = bpf_if(r->b, BPF_JEQ, SOCK_STREAM, stream, inet);
	inet = bpf_load(r->b, BPF_ARG_LOW(1), bpf_and(r->b, SOCKET_TYPE_MASK, inet));
	next = bpf_if(r->b, BPF_JEQ, AF_NETLINK, netlink, no_family);
	next = bpf_if(r->b, BPF_JEQ, AF_INET6, inet, next);
	next = bpf_if(r->b, BPF_JEQ, AF_INET, inet, next);
	next = bpf_if(r->b, BPF_JEQ, AF_UNIX, passed, next);
	return bpf_load(r->b, BPF_ARG_LOW(0), next);
}

static bpf_node rule_socketpair(struct filter_rules *r, int arg)
{
	bpf_node next = bpf_if(r->b, BPF_JEQ, AF_UNIX, pass(r), fail(r, EAFNOSUPPORT));

	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* setsockopt(fd, level, name, …) */
static bpf_node rule_setsockopt(struct filter_rules *r, int arg)
{
	static const struct {
		uint32_t level;
		int code;
		uint32_t names[7]; /* up to the first 0, which is no option here */
	} refused[] = {
		{ SOL_SOCKET, EPERM, { SO_MARK, SO_BINDTODEVICE, SO_BINDTOIFINDEX } },
		{ IPPROTO_TCP, ENOENT, { TCP_ULP } },
		{ IPPROTO_IP, EPERM, { IP_TRANSPARENT, IP_OPTIONS, IP_UNICAST_IF } },
		/* Has the kernel give just the port that may not be asked for. ENOPROTOOPT is what
		 * kernels before 6.3 say, and programs go on without it. */
		{ IPPROTO_IP, ENOPROTOOPT, { IP_LOCAL_PORT_RANGE } },
		/* A flow label has options. */
		{ IPPROTO_IPV6, EPERM,
			{ IPV6_TRANSPARENT, IPV6_UNICAST_IF, IPV6_PKTINFO, IPV6_RTHDR,
				IPV6_2292RTHDR, IPV6_2292PKTOPTIONS, IPV6_FLOWLABEL_MGR } },
	};
	bpf_node passed = pass(r);
	bpf_node next = passed;

	for (size_t i = COUNT(refused); i-- > 0;) {
		bpf_node other = next, again, names;
		size_t n = 0;

		while (n < COUNT(refused[i].names) && refused[i].names[n] != 0)
			n++;
		/* A level comes more than once: another name goes on with the level. */
		again = other == passed ? passed
					: bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), other);
		names = bpf_if_any(r->b, refused[i].names, n, fail(r, refused[i].code), again);
		names = bpf_load(r->b, BPF_ARG_LOW(2), names);
		next = bpf_if(r->b, BPF_JEQ, refused[i].level, names, other);
	}
	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

static bpf_node rule_send(struct filter_rules *r, int arg)
{
	bpf_node next = bpf_if(r->b, BPF_JSET, MSG_FASTOPEN, fail(r, EPERM), pass(r));

	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* Asks when the argument, a pointer of which both halves count, is not NULL. */
static bpf_node ask_with_pointer(struct filter_rules *r, int arg)
{
	bpf_node ask = bpf_ret(r->b, SECCOMP_RET_USER_NOTIF);
	bpf_node next = bpf_if(r->b, BPF_JEQ, 0, pass(r), ask);

	next = bpf_load(r->b, BPF_ARG_HIGH((unsigned int)arg), next);
	next = bpf_if(r->b, BPF_JEQ, 0, next, ask);
	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* sendto(fd, buffer, length, flags, address, …) */
static bpf_node rule_sendto(struct filter_rules *r, int arg)
{
	bpf_node next = ask_with_pointer(r, 4);

	next = bpf_if(r->b, BPF_JSET, MSG_FASTOPEN, fail(r, EPERM), next);
	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

static bpf_node rule_sendmsg(struct filter_rules *r, int arg)
{
	bpf_node next = bpf_if(r->b, BPF_JSET, MSG_FASTOPEN, fail(r, EPERM),
		bpf_ret(r->b, SECCOMP_RET_USER_NOTIF));

	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* Who asks for descriptors reads a unix socket, which has no ports: so do init's own threads,
 * which must not wait for the supervisor that waits for them. */
static bpf_node rule_recvmsg(struct filter_rules *r, int arg)
{
	bpf_node next = bpf_if(
		r->b, BPF_JSET, MSG_CMSG_CLOEXEC, pass(r), bpf_ret(r->b, SECCOMP_RET_USER_NOTIF));

	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* Files are removed much more often than directories, and are left alone. */
static bpf_node rule_unlinkat(struct filter_rules *r, int arg)
{
	bpf_node next = bpf_if(
		r->b, BPF_JSET, AT_REMOVEDIR, bpf_ret(r->b, SECCOMP_RET_USER_NOTIF), pass(r));

	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* EPERM when the argument is a shielded id, with either sign; otherwise next. */
static bpf_node shield(struct filter_rules *r, int arg, bpf_node next)
{
	bpf_node failed = fail(r, EPERM);

	next = bpf_if_any(r->b, r->negated, FILTER_SHIELDED, failed, next);
	next = bpf_if_any(r->b, r->shielded, FILTER_SHIELDED, failed, next);
	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* The main process is 1 for the container, which is the host's first process for the kernel. What
 * is loaded is the id. */
static bpf_node if_main(struct filter_rules *r, bpf_node then, bpf_node otherwise)
{
	return bpf_if(r->b, BPF_JEQ, 1, then, otherwise);
}

static bpf_node rule_one_id(struct filter_rules *r, int arg)
{
	bpf_node asked = bpf_ret(r->b, SECCOMP_RET_USER_NOTIF);

	return shield(r, arg, if_main(r, asked, pass(r)));
}

static bpf_node rule_two_ids(struct filter_rules *r, int arg)
{
	bpf_node asked = bpf_ret(r->b, SECCOMP_RET_USER_NOTIF);
	bpf_node first = bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), if_main(r, asked, pass(r)));

	return shield(r, arg, shield(r, arg + 1, if_main(r, asked, first)));
}

static bpf_node rule_tells(struct filter_rules *r, int arg)
{
	bpf_node next = if_main(r, bpf_ret(r->b, SECCOMP_RET_USER_NOTIF), pass(r));

	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* A tracer must call itself, so the supervisor cannot help. */
static bpf_node rule_trace(struct filter_rules *r, int arg)
{
	return arg < 0 ? pass(r) : shield(r, arg, if_main(r, fail(r, ESRCH), pass(r)));
}

static bpf_node rule_self(struct filter_rules *r, int arg)
{
	bpf_node next = bpf_if(r->b, BPF_JEQ, 0, pass(r), fail(r, EPERM));

	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* The supervisor and init's threads have the tree as their root too, and would therefore
 * count as members: they are refused here. */
static bpf_node rule_member(struct filter_rules *r, int arg)
{
	bpf_node other = shield(r, arg, bpf_ret(r->b, SECCOMP_RET_USER_NOTIF));
	bpf_node next = bpf_if(r->b, BPF_JEQ, 0, pass(r), if_main(r, fail(r, ESRCH), other));

	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* setpriority and ioprio_set (which, who, …): a process, a process group, a user. */
static bpf_node rule_priority(struct filter_rules *r, int arg, uint32_t process, uint32_t group)
{
	bpf_node one = rule_member(r, arg);
	bpf_node all = rule_self(r, arg);
	bpf_node next = bpf_if(r->b, BPF_JEQ, group, all, fail(r, EPERM));

	next = bpf_if(r->b, BPF_JEQ, process, one, next);
	return bpf_load(r->b, BPF_ARG_LOW(0), next);
}

bpf_node filter_rule(struct filter_rules *r, enum syscall_verdict verdict, int arg)
{
	switch (verdict) {
	case VERDICT_ALLOW: return pass(r);
	case VERDICT_REFUSE: return fail(r, EPERM);
	case VERDICT_ABSENT:
	case VERDICT_COUNT: return fail(r, ENOSYS);
	case VERDICT_CLONE: return rule_clone(r, arg);
	case VERDICT_IOCTL: return rule_ioctl(r, arg);
	case VERDICT_MKNOD: return rule_mknod(r, arg);
	case VERDICT_FCNTL: return rule_fcntl(r, arg);
	case VERDICT_PRCTL: return rule_prctl(r, arg);
	case VERDICT_PERSONALITY: return rule_personality(r, arg);
	case VERDICT_SOCKET: return rule_socket(r);
	case VERDICT_SOCKETPAIR: return rule_socketpair(r, arg);
	case VERDICT_SETSOCKOPT: return rule_setsockopt(r, arg);
	case VERDICT_SEND: return rule_send(r, arg);
	case VERDICT_SENDTO: return rule_sendto(r, arg);
	case VERDICT_SENDMSG: return rule_sendmsg(r, arg);
	case VERDICT_TRACE: return rule_trace(r, arg);
	case VERDICT_ONE_ID: return rule_one_id(r, arg);
	case VERDICT_TELLS: return rule_tells(r, arg);
	case VERDICT_TWO_IDS: return rule_two_ids(r, arg);
	case VERDICT_SELF: return rule_self(r, arg);
	case VERDICT_MEMBER: return rule_member(r, arg);
	case VERDICT_PRIORITY: return rule_priority(r, arg, PRIO_PROCESS, PRIO_PGRP);
	case VERDICT_IOPRIO: return rule_priority(r, arg, IOPRIO_WHO_PROCESS, IOPRIO_WHO_PGRP);
	case VERDICT_RECVMSG: return rule_recvmsg(r, arg);
	case VERDICT_ACCEPT:
	case VERDICT_RECVFROM: return ask_with_pointer(r, arg);
	case VERDICT_UNLINKAT: return rule_unlinkat(r, arg);
	case VERDICT_BUSY:
	case VERDICT_BIND:
	case VERDICT_LISTEN:
	case VERDICT_NAME:
	case VERDICT_CONNECT:
	case VERDICT_SYSV_IPC:
	case VERDICT_MQUEUE:
	case VERDICT_GETPID:
	case VERDICT_UNAME: return bpf_ret(r->b, SECCOMP_RET_USER_NOTIF);
	}
	return fail(r, ENOSYS);
}
