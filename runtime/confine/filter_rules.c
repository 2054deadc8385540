/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules for the verdicts of syscalls.h.
 */
#include "runtime/confine/filter_rules.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ioprio.h>
#include <linux/prctl.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "runtime/base/count.h"
#include "runtime/base/signals.h"

/* CLONE_NEWTIME is written as its bit. In clone(2) this bit is part of the exit signal's number,
 * but no signal has a number that large. */
#define CLONE_NEW_ANY                                                                              \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |             \
		CLONE_NEWPID | CLONE_NEWNET | 0x80U)

#define PERSONA_QUERY 0xffffffffU

#ifndef F_SETDELEG
#define F_SETDELEG (F_SETLEASE + 16) /* 6.19 */
#endif
#ifndef PR_SET_IO_FLUSHER
#define PR_SET_IO_FLUSHER 57
#endif
#ifndef PR_SCHED_CORE
#define PR_SCHED_CORE 62
#endif

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
	if (verdict == VERDICT_SYSINFO && !p->trap_sysinfo)
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
	if (verdict == VERDICT_FORK && !p->count_tasks)
		return VERDICT_ALLOW;
	if ((verdict == VERDICT_NAME || verdict == VERDICT_ACCEPT) && !p->trap_names)
		return VERDICT_ALLOW;
	if ((verdict == VERDICT_RECVFROM || verdict == VERDICT_RECVMSG) &&
		!(p->trap_names && filter_has_datagrams(p)))
		return VERDICT_ALLOW;
	if ((verdict == VERDICT_SENDTO || verdict == VERDICT_SENDMSG) && !filter_has_datagrams(p))
		return VERDICT_SEND;
	return verdict;
}

/* When the kernel continues a call on a unix socket, nobody must be able to exchange the socket.
 * The supervisor can see the threads of a process. Where datagram sockets are allowed, it is
 * notified of processes that are going to share a descriptor table. */
static bpf_node rule_clone(struct filter_rules *r, int arg)
{
	bpf_node next = filter_pass(r);

	if (r->params->count_tasks) {
		next = filter_ask(r);
	} else if (filter_has_datagrams(r->params)) {
		bpf_node thread = bpf_if(r->b, BPF_JSET, CLONE_THREAD, next, filter_ask(r));

		next = bpf_if(r->b, BPF_JSET, CLONE_FILES, thread, next);
	}
	next = bpf_if(r->b, BPF_JSET, CLONE_NEW_ANY, filter_fail(r, EPERM), next);
	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* mknod: Landlock denies block devices. It permits character devices because of one: 0:0, which
 * opens nothing and which overlayfs uses for a deleted file. */
static bpf_node rule_mknod(struct filter_rules *r, int arg)
{
	bpf_node passed = filter_pass(r);
	bpf_node next = bpf_if(r->b, BPF_JEQ, 0, passed, filter_fail(r, EPERM));

	next = bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg + 1), next);
	next = bpf_if(r->b, BPF_JEQ, S_IFCHR, next, passed);
	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), bpf_and(r->b, S_IFMT, next));
}

/* Leases are refused with the errno of file systems that have none. A process that opens a file
 * with a lease waits up to 45 seconds for it, and files of sysfs are the host's. */
static bpf_node rule_fcntl(struct filter_rules *r, int arg)
{
	/* These include the signals that the C library reserves for itself and that its own
	 * functions never block. */
	static const uint32_t refused[] = { SIGKILL, SIGSTOP, SIGNALS_LIBRARY_FIRST,
		SIGNALS_LIBRARY_LAST };
	bpf_node passed = filter_pass(r), no_lease = filter_fail(r, EINVAL);
	bpf_node signal = bpf_if_any(r->b, refused, COUNT(refused), filter_fail(r, EPERM), passed);
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
	bpf_node passed = filter_pass(r);
	bpf_node failed = filter_fail(r, EPERM);
	bpf_node core = bpf_load(r->b, BPF_ARG_LOW(2), bpf_if(r->b, BPF_JEQ, 0, passed, failed));
	bpf_node next = bpf_if(r->b, BPF_JEQ, PR_SCHED_CORE, core, passed);

	next = bpf_if_any(r->b, refused, COUNT(refused), failed, next);
	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

static bpf_node rule_personality(struct filter_rules *r, int arg)
{
	static const uint32_t passed[] = { PER_LINUX, PER_LINUX32, UNAME26, UNAME26 | PER_LINUX32,
		PERSONA_QUERY };
	bpf_node next =
		bpf_if_any(r->b, passed, COUNT(passed), filter_pass(r), filter_fail(r, EPERM));

	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

/* Most calls remove files and not directories; they are not trapped. */
static bpf_node rule_unlinkat(struct filter_rules *r, int arg)
{
	bpf_node next = bpf_if(r->b, BPF_JSET, AT_REMOVEDIR, filter_ask(r), filter_pass(r));

	return bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), next);
}

bpf_node filter_rule(struct filter_rules *r, enum syscall_verdict verdict, int arg)
{
	switch (verdict) {
	case VERDICT_ALLOW: return filter_pass(r);
	case VERDICT_REFUSE: return filter_fail(r, EPERM);
	case VERDICT_ABSENT:
	case VERDICT_COUNT: return filter_fail(r, ENOSYS);
	case VERDICT_CLONE: return rule_clone(r, arg);
	case VERDICT_IOCTL: return filter_rule_ioctl(r, arg);
	case VERDICT_MKNOD: return rule_mknod(r, arg);
	case VERDICT_FCNTL: return rule_fcntl(r, arg);
	case VERDICT_PRCTL: return rule_prctl(r, arg);
	case VERDICT_PERSONALITY: return rule_personality(r, arg);
	case VERDICT_SOCKET: return filter_rule_socket(r);
	case VERDICT_SOCKETPAIR: return filter_rule_socketpair(r, arg);
	case VERDICT_SETSOCKOPT: return filter_rule_setsockopt(r, arg);
	case VERDICT_SEND: return filter_rule_send(r, arg);
	case VERDICT_SENDTO: return filter_rule_sendto(r, arg);
	case VERDICT_SENDMSG: return filter_rule_sendmsg(r, arg);
	case VERDICT_TRACE: return filter_rule_trace(r, arg);
	case VERDICT_CPU_TIME: return filter_rule_cpu_time(r, arg);
	case VERDICT_ONE_ID: return filter_rule_one_id(r, arg);
	case VERDICT_TELLS: return filter_rule_tells(r, arg);
	case VERDICT_TWO_IDS: return filter_rule_two_ids(r, arg);
	case VERDICT_SELF: return filter_rule_self(r, arg);
	case VERDICT_MEMBER: return filter_rule_member(r, arg);
	case VERDICT_AFFINITY: return filter_rule_affinity(r, arg);
	case VERDICT_PRIORITY: return filter_rule_priority(r, arg, PRIO_PROCESS, PRIO_PGRP);
	case VERDICT_IOPRIO:
		return filter_rule_priority(r, arg, IOPRIO_WHO_PROCESS, IOPRIO_WHO_PGRP);
	case VERDICT_RECVMSG: return filter_rule_recvmsg(r, arg);
	case VERDICT_ACCEPT:
	case VERDICT_RECVFROM: return filter_rule_pointer(r, arg);
	case VERDICT_UNLINKAT: return rule_unlinkat(r, arg);
	case VERDICT_BUSY:
	case VERDICT_BIND:
	case VERDICT_LISTEN:
	case VERDICT_NAME:
	case VERDICT_CONNECT:
	case VERDICT_FORK:
	case VERDICT_SYSV_IPC:
	case VERDICT_MQUEUE:
	case VERDICT_GETPID:
	case VERDICT_SYSINFO:
	case VERDICT_UNAME: return filter_ask(r);
	}
	return filter_fail(r, ENOSYS);
}
