/* SPDX-License-Identifier: Apache-2.0
 *
 * The network of a bundle as rungs: what Landlock, the filter and the supervisor carry.
 * Pure: names stay names until runtime/plan/resolve.h fills their addresses in.
 *
 * A bundle and a node that say nothing: TCP connects to what the own pod has bound on loopback, no
 * datagrams; any port may be bound that nobody else holds.
 */
#ifndef SANDLOCK_PLAN_NET_H
#define SANDLOCK_PLAN_NET_H

#include <netinet/in.h>
#include <stdio.h>
#include <sys/types.h>

#include "annotations/annotations.h"
#include "runtime/plan/node.h"
#include "spec/spec.h"

/* A name with more is cut: what a client tries first comes first. */
#define PLAN_NET_ADDRS_MAX 32

struct plan_net_addr {
	bool v6;
	uint8_t bytes[16];
};

struct plan_net_host {
	const char *name;
	const char *key; /* of the annotation that says it, without io.sandlock. */
	struct plan_net_addr addrs[PLAN_NET_ADDRS_MAX];
	size_t n_addrs; /* 0 until it is resolved */
};

enum plan_net_mode {
	PLAN_NET_OWN,      /* no rule allows anything: TCP to what the own pod has bound */
	PLAN_NET_LANDLOCK, /* TCP ports only, and the node leaves them to Landlock */
	PLAN_NET_ASK,      /* the supervisor decides and acts */
};

/* What HTTP rules add (http.h). */
struct plan_net_http {
	bool on;
	bool closed;                /* TCP to the ports is denied too */
	struct rule_net_list opens; /* allowed beside network.allow */
	const char **names;         /* of rules that open nothing, to be looked up */
	size_t n_names;
	const struct rule_ports *ports; /* where UDP is denied; TCP too where closed */
	size_t n_ports;
};

/* Whose network stack the container is on. */
enum plan_net_stack {
	PLAN_STACK_HOST,  /* the runtime's own, which others are on as well */
	PLAN_STACK_NAMED, /* of the namespace at join_path, which the caller has made */
	PLAN_STACK_MADE,  /* of a new one, which somebody else fills */
};

struct plan_net {
	enum plan_net_mode mode;
	enum plan_net_stack stack;
	struct rule_net_list allow; /* in force: the bundle's, "*" beside its deny, the node's */
	struct rule_net_list deny;  /* the bundle's */
	struct node_net_rules node_deny;        /* always */
	struct node_net_rules node_ceiling;     /* nothing beyond; none: no ceiling */
	bool local_rules;                       /* a rule may open what is near by writing it */
	bool udp;                               /* datagram sockets may be made */
	bool ping;                              /* ICMP sockets may be made */
	const struct rule_ports *connect_ports; /* PLAN_NET_LANDLOCK */
	size_t n_connect_ports;
	bool connect_any;
	const char *join_path; /* PLAN_STACK_NAMED: the network namespace to enter, */
	dev_t join_dev;        /* and which one it was when it was judged */
	ino_t join_ino;
	bool own_stack;         /* nobody else is on it than who was put there beside us */
	bool host_asked;        /* PLAN_STACK_HOST: the bundle itself has no other one */
	const char *stack_note; /* for the log: what became of its namespace; NULL: nothing */
	bool bind_limited;      /* TCP ports that may be bound are the list */
	bool bind_any_free;     /* and any that the kernel chooses: 0 is in network.allow_bind */
	const struct rule_ports *bind_ports;
	size_t n_bind_ports;
	bool view;        /* what is shown of interfaces is not the stack's (runtime/view) */
	bool bind_judged; /* the stack is shared with others, so the supervisor binds; otherwise
			   * the list is Landlock's */
	bool remap;       /* a port that is taken is replaced by one of remap_range */
	struct rule_ports remap_range;
	const struct key_value *sysctls; /* of own_stack: net.*, which are set there */
	size_t n_sysctls;
	uint16_t unprivileged_start; /* ports from here on need no CAP_NET_BIND_SERVICE */
	bool has_unprivileged_start; /* by the bundle's sysctl; otherwise the host's counts */
	struct plan_net_host *hosts;
	size_t n_hosts;
};

int plan_net_build(struct arena *a, const struct annotations *an, const struct plan_net_http *http,
	const struct spec *spec, const struct node_policy *node, struct plan_net *ret,
	struct sl_err *err);

/* Of it: what may be bound, and by whom (net_bind.c). */
int plan_net_bind(struct arena *a, const struct annotations *an, const struct spec_linux *spec,
	const struct node_policy *node, struct plan_net *p, struct sl_err *err);
void plan_net_print_bind(struct arena *a, const struct plan_net *p, FILE *out);

/* Whether the supervisor connects on behalf; otherwise it is left to Landlock. */
static inline bool plan_net_connects(const struct plan_net *p)
{
	return p->mode != PLAN_NET_LANDLOCK;
}

/* Whether a rule allows an address of the family that is not loopback. */
bool plan_net_reaches(const struct plan_net *p, bool v6);

/* For `policy explain`: one line for each rule and what enforces it. */
void plan_net_print(struct arena *a, const struct plan_net *p, FILE *out);

#endif
