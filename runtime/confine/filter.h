/* SPDX-License-Identifier: Apache-2.0
 *
 * The default system-call filter, compiled from runtime/seccomp/syscalls.def into a search
 * tree of classic BPF (seccomp(2), Documentation/userspace-api/seccomp_filter.rst).
 * Runs in the supervisor, before anything is confined; allocates nothing that outlives it.
 */
#ifndef SANDLOCK_CONFINE_FILTER_H
#define SANDLOCK_CONFINE_FILTER_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "runtime/base/err.h"

struct filter_params {
	pid_t supervisor; /* shielded process and thread ids: no signal, no pidfd, no ptrace */
	pid_t init;
	pid_t init_thread; /* in the domain */
	pid_t init_fetcher;
	bool allow_trace;    /* a Landlock domain bounds tracing to the container */
	bool own_ipc;        /* the supervisor answers for System V IPC and queues of the pod */
	bool allow_sysv_ipc; /* the host's */
	bool allow_mqueue;
	bool trap_uname;   /* the host name shown differs from the host's */
	bool trap_getpid;  /* the main process is told that it is 1 */
	bool trap_busy;    /* the supervisor says EBUSY for mount points */
	bool trap_connect; /* the supervisor connects */
	bool trap_bind;    /* the supervisor binds */
	bool trap_listen;  /* it decides about listen(2) */
	bool trap_names;   /* ports of sockets have other numbers for the container */
	bool allow_udp;    /* datagram sockets exist; the supervisor sends what has an address */
	bool allow_ping;   /* the same of ICMP */
	bool count_tasks;  /* the supervisor is asked before there is one more process or thread */
	bool bind_cpus;    /* the supervisor leaves out processors that the container may not use */
	bool view;         /* the supervisor shows interfaces; the stack's are not seen */
	bool own_stack;    /* its sockets may be listed; otherwise the supervisor shows none */
};

#define FILTER_MAX BPF_MAXINSNS

int filter_build(const struct filter_params *p, struct sock_filter *ret_insns, size_t max,
	size_t *ret_n, struct sl_err *err);

#endif
