/* SPDX-License-Identifier: Apache-2.0
 *
 * The network rules of a bundle, divided into what Landlock, the filter and the supervisor enforce.
 * Host names have no addresses until runtime/plan/resolve.h fills them in.
 *
 * The default of bundle and node: TCP connect to ports on loopback that the pod itself has bound,
 * no datagram sockets, and bind to any port that no other pod holds.
 */
#ifndef SANDLOCK_PLAN_NET_H
#define SANDLOCK_PLAN_NET_H

#include <netinet/in.h>
#include <stdio.h>
#include <sys/types.h>

#include "annotations/annotations.h"
#include "runtime/plan/node.h"
#include "spec/spec.h"

/* More addresses of a name are ignored; clients try the first ones first. */
#define PLAN_NET_ADDRS_MAX 32

struct plan_net_addr {
	bool v6;
	uint8_t bytes[16];
};

struct plan_net_host {
	const char *name;
	const char *key; /* the annotation with the name, without io.sandlock. */
	struct plan_net_addr addrs[PLAN_NET_ADDRS_MAX];
	size_t n_addrs; /* 0 until the name is resolved */
};

enum plan_net_mode {
	PLAN_NET_OWN,      /* no allow rule: TCP to ports of the pod itself */
	PLAN_NET_LANDLOCK, /* rules with TCP ports only, which the node leaves to Landlock */
	PLAN_NET_ASK,      /* the supervisor decides and performs the calls */
};

struct plan_net_name {
	const char *name;
	const char *key; /* as in struct plan_net_host */
};

/* What the HTTP rules add (http.h). */
struct plan_net_http {
	bool on;
	bool closed;                /* TCP to the ports is denied too */
	struct rule_net_list opens; /* allowed in addition to network.allow */
	/* names of deny rules and of credentials, which must be looked up too */
	struct plan_net_name *names;
	size_t n_names;
	const struct rule_ports *ports; /* UDP to these ports is denied; TCP too if closed is set */
	size_t n_ports;
};

/* The network stack of the container. */
enum plan_net_stack {
	PLAN_STACK_HOST, /* the runtime's own stack, which others use too */
	/* the stack of the namespace at join_path, which the caller has created */
	PLAN_STACK_NAMED,
	PLAN_STACK_MADE, /* the stack of a new namespace, which somebody else configures */
};

struct plan_net {
	enum plan_net_mode mode;
	enum plan_net_stack stack;
	/* in force: those of the bundle, "*" if it has only deny rules, or those of the node */
	struct rule_net_list allow;
	struct rule_net_list deny;       /* those of the bundle */
	struct node_net_rules node_deny; /* always in force */
	/* nothing beyond these is allowed; empty: there is no ceiling */
	struct node_net_rules node_ceiling;
	/* a rule with exactly this address may open special and own addresses */
	bool local_rules;
	bool udp;                               /* datagram sockets are allowed */
	bool ping;                              /* ICMP sockets are allowed */
	const struct rule_ports *connect_ports; /* PLAN_NET_LANDLOCK */
	size_t n_connect_ports;
	bool connect_any;
	const char *join_path; /* PLAN_STACK_NAMED: the network namespace to join */
	dev_t join_dev;        /* identifies the namespace that was checked */
	ino_t join_ino;
	bool own_stack;  /* only members of the pod use the stack */
	bool host_asked; /* PLAN_STACK_HOST: the bundle itself asks for the host's stack */
	/* for the log: why its namespace is not used; NULL: nothing to say */
	const char *stack_note;
	bool bind_limited; /* only the TCP ports in bind_ports may be bound */
	/* and any port that the kernel chooses: network.allow_bind contains 0 */
	bool bind_any_free;
	const struct rule_ports *bind_ports;
	size_t n_bind_ports;
	/* the interfaces that the container sees are not those of the stack (runtime/view) */
	bool view;
	/* the stack is shared with others, so the supervisor binds; otherwise Landlock enforces the
	 * list */
	bool bind_judged;
	bool remap; /* a port that is taken is replaced by one of remap_range */
	struct rule_ports remap_range;
	/* net.* on a stack of its own, where they are really set */
	const struct key_value *sysctls;
	size_t n_sysctls;
	/* A unix socket on a read-only mount cannot be reached by its path, as if connecting were
	 * writing. The tree alone does not do that: the kernel refuses writing to regular files and
	 * directories of a read-only mount, but not to what a socket there leads to. */
	bool unix_judged;
	uint16_t unprivileged_start; /* ports from this number on need no CAP_NET_BIND_SERVICE */
	/* set by the bundle's sysctl; otherwise the host's setting counts */
	bool has_unprivileged_start;
	struct plan_net_host *hosts;
	size_t n_hosts;
};

int plan_net_build(struct arena *a, const struct annotations *an, const struct plan_net_http *http,
	const struct spec *spec, const struct node_policy *node, struct plan_net *ret,
	struct sl_err *err);

/* The part for bind (net_bind.c). */
int plan_net_bind(struct arena *a, const struct annotations *an, const struct spec_linux *spec,
	const struct node_policy *node, struct plan_net *p, struct sl_err *err);
void plan_net_print_bind(struct arena *a, const struct plan_net *p, FILE *out);

/* Whether the supervisor performs connect(2); otherwise Landlock enforces the rules. */
static inline bool plan_net_connects(const struct plan_net *p)
{
	return p->mode != PLAN_NET_LANDLOCK;
}

/* Whether a rule allows an address of the family that is not loopback. */
bool plan_net_reaches(const struct plan_net *p, bool v6);

/* For `policy explain`: prints one line for each rule and what enforces it. */
void plan_net_print(struct arena *a, const struct plan_net *p, FILE *out);

#endif
