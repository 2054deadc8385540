/* SPDX-License-Identifier: Apache-2.0
 *
 * The default system-call filter, compiled from runtime/seccomp/syscalls.def into a search tree of
 * classic BPF (seccomp(2), Documentation/userspace-api/seccomp_filter.rst). The supervisor builds
 * it before anything is restricted. The function keeps no memory after its return.
 */
#ifndef SANDLOCK_CONFINE_FILTER_H
#define SANDLOCK_CONFINE_FILTER_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "runtime/base/err.h"

struct filter_params {
	/* shielded process and thread ids: the workload can send them no signal, open no pidfd for
	 * them and not trace them */
	pid_t supervisor;
	pid_t init;
	pid_t init_thread; /* the thread of init in the Landlock domain */
	pid_t init_fetcher;
	bool allow_trace; /* Landlock limits tracing to the container */
	/* the supervisor answers calls for System V IPC and POSIX queues of the pod */
	bool own_ipc;
	bool allow_sysv_ipc; /* allow the host's objects */
	bool allow_mqueue;
	bool trap_uname;   /* the container's host name differs from the host's */
	bool trap_sysinfo; /* the container sees its own limit of memory */
	bool trap_getpid;  /* the main process must see 1 as its process id */
	bool trap_busy;    /* the supervisor returns EBUSY for mount points */
	bool trap_connect; /* the supervisor performs connect(2) */
	bool trap_bind;    /* the supervisor performs bind(2) */
	bool trap_listen;  /* the supervisor decides about listen(2) */
	bool trap_names;   /* the container sees other port numbers than the host */
	/* UDP sockets are allowed; the supervisor performs sends that have an address */
	bool allow_udp;
	bool allow_ping; /* the same for ICMP echo sockets */
	/* The supervisor performs connect(2) of every unix socket. Without allow_udp it performs no
	 * send, so there are no unix datagram sockets, which need no connection. */
	bool judge_unix;
	bool count_tasks; /* the supervisor decides about each new process or thread */
	bool bind_cpus;   /* the supervisor removes CPUs that the container may not use */
	/* the supervisor answers questions about interfaces; those of the stack are hidden */
	bool view;
	/* the container has its own stack and may list its sockets; otherwise the supervisor shows
	 * none */
	bool own_stack;
};

#define FILTER_MAX BPF_MAXINSNS

int filter_build(const struct filter_params *p, struct sock_filter *ret_insns, size_t max,
	size_t *ret_n, struct sl_err *err);

#endif
