/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/confine: the decision of one row of syscalls.def as a piece of filter.
 *
 * Only low halves of arguments are looked at: the prototype in the kernel of every call here has
 * int, unsigned int or pid_t in that place (clone: lower_32_bits(); ptrace: the pid goes through a
 * pid_t; F_SETSIG: the signal goes through an int), so the kernel drops the upper half too and a
 * comparison of 64 bits could be evaded with rubbish in it. tests/unit/confine/filter_args.c tries
 * exactly that.
 */
#ifndef SANDLOCK_CONFINE_FILTER_RULES_H
#define SANDLOCK_CONFINE_FILTER_RULES_H

#include "runtime/confine/filter.h"
#include "runtime/seccomp/bpf.h"
#include "runtime/seccomp/syscalls.h"

#define FILTER_SHIELDED 4

struct filter_rules {
	const struct filter_params *params;
	struct bpf *b;
	uint32_t shielded[FILTER_SHIELDED]; /* ids of the supervisor and of init's three threads */
	uint32_t negated[FILTER_SHIELDED];  /* the same as process groups of kill(2) */
};

void filter_rules_begin(struct filter_rules *r, const struct filter_params *p, struct bpf *b);

static inline bpf_node filter_pass(struct filter_rules *r)
{
	return bpf_ret(r->b, SECCOMP_RET_ALLOW);
}

static inline bpf_node filter_fail(struct filter_rules *r, int code)
{
	return bpf_ret(r->b, SECCOMP_RET_ERRNO | (uint32_t)code);
}

/* The supervisor answers. */
static inline bpf_node filter_ask(struct filter_rules *r)
{
	return bpf_ret(r->b, SECCOMP_RET_USER_NOTIF);
}

/* Sockets of datagrams can be had: of UDP, or of ICMP echoes. */
static inline bool filter_has_datagrams(const struct filter_params *p)
{
	return p->allow_udp || p->allow_ping;
}

/* filter_ioctl.c, filter_socket.c, filter_process.c: the verdicts of these names. arg: which
 * argument is judged. */
bpf_node filter_rule_ioctl(struct filter_rules *r, int arg);

bpf_node filter_rule_socket(struct filter_rules *r);
bpf_node filter_rule_socketpair(struct filter_rules *r, int arg);
bpf_node filter_rule_setsockopt(struct filter_rules *r, int arg);
bpf_node filter_rule_send(struct filter_rules *r, int arg);
/* Asks when the argument is not NULL. */
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

/* What a verdict comes to with these parameters: those that depend on one parameter only
 * become ALLOW or REFUSE. */
enum syscall_verdict filter_resolve(const struct filter_params *p, const struct syscall_row *row);

/* Writes the decision. The nodes of ALLOW, REFUSE and ABSENT are plain returns. */
bpf_node filter_rule(struct filter_rules *r, enum syscall_verdict verdict, int arg);

#endif
