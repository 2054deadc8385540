/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/confine: what the files that write the filter's rules share.
 *
 * Only the low 32 bits of arguments are compared. In the kernel all these arguments have the type
 * int, unsigned int or pid_t (clone: lower_32_bits(); ptrace: the pid is converted to pid_t;
 * F_SETSIG: the signal is converted to int), so the kernel ignores the high half, and a comparison
 * of 64 bits could be evaded with arbitrary high bits. tests/unit/confine/filter_args.c tries
 * exactly that.
 */
#ifndef SANDLOCK_CONFINE_INTERNAL_H
#define SANDLOCK_CONFINE_INTERNAL_H

#include "runtime/confine/filter.h"
#include "runtime/seccomp/bpf.h"

#define FILTER_SHIELDED 4

struct filter_rules {
	const struct filter_params *params;
	struct bpf *b;
	/* ids of the supervisor and of the three threads of init */
	uint32_t shielded[FILTER_SHIELDED];
	/* the same ids negated, as kill(2) takes process groups */
	uint32_t negated[FILTER_SHIELDED];
};

static inline bpf_node filter_pass(struct filter_rules *r)
{
	return bpf_ret(r->b, SECCOMP_RET_ALLOW);
}

static inline bpf_node filter_fail(struct filter_rules *r, int code)
{
	return bpf_ret(r->b, SECCOMP_RET_ERRNO | (uint32_t)code);
}

/* The supervisor is notified and answers. */
static inline bpf_node filter_ask(struct filter_rules *r)
{
	return bpf_ret(r->b, SECCOMP_RET_USER_NOTIF);
}

/* Whether datagram sockets are allowed: UDP or ICMP echo. */
static inline bool filter_has_datagrams(const struct filter_params *p)
{
	return p->allow_udp || p->allow_ping;
}

/* filter_ioctl.c, filter_socket.c, filter_process.c: the rules for the verdicts of these names.
 * arg: the number of the argument that decides. */
bpf_node filter_rule_ioctl(struct filter_rules *r, int arg);

bpf_node filter_rule_socket(struct filter_rules *r);
bpf_node filter_rule_socketpair(struct filter_rules *r, int arg);
bpf_node filter_rule_setsockopt(struct filter_rules *r, int arg);
bpf_node filter_rule_send(struct filter_rules *r, int arg);
/* Notifies the supervisor when the argument is not NULL. */
bpf_node filter_rule_pointer(struct filter_rules *r, int arg);
bpf_node filter_rule_sendto(struct filter_rules *r, int arg);
bpf_node filter_rule_sendmsg(struct filter_rules *r, int arg);
bpf_node filter_rule_recvmsg(struct filter_rules *r, int arg);

bpf_node filter_rule_one_id(struct filter_rules *r, int arg);
bpf_node filter_rule_two_ids(struct filter_rules *r, int arg);
bpf_node filter_rule_tells(struct filter_rules *r, int arg);
bpf_node filter_rule_cpu_time(struct filter_rules *r, int arg);
bpf_node filter_rule_trace(struct filter_rules *r, int arg);
bpf_node filter_rule_self(struct filter_rules *r, int arg);
bpf_node filter_rule_member(struct filter_rules *r, int arg);
bpf_node filter_rule_affinity(struct filter_rules *r, int arg);
bpf_node filter_rule_priority(struct filter_rules *r, int arg, uint32_t process, uint32_t group);

#endif
