/* SPDX-License-Identifier: Apache-2.0
 *
 * The node policy: what the operator of this machine allows, from
 * /etc/sandlock-oci/config.json (a missing file means the defaults; an unknown key, a
 * wrong type or an unknown word is an error that names the key and the line).
 * A bundle can only narrow it.
 */
#ifndef SANDLOCK_PLAN_NODE_H
#define SANDLOCK_PLAN_NODE_H

#include <stdbool.h>

#include "annotations/rule_net.h"
#include "runtime/base/arena.h"
#include "runtime/base/err.h"
#include "runtime/plan/ipc.h"
#include "runtime/plan/node_http.h"

#define NODE_CONFIG_PATH "/etc/sandlock-oci/config.json"

/* "capabilities": {"unfenced": "refuse" | "drop" | "keep"}: what happens to a capability
 * bit of the bundle whose use nothing can fence (runtime/plan/caps.h). */
enum node_unfenced {
	NODE_UNFENCED_REFUSE,
	NODE_UNFENCED_DROP,
	NODE_UNFENCED_KEEP,
};

/* "protections": {"waive": ["landlock.net", …]}: a protection that this kernel lacks stops
 * `create` unless it is waived here by its name (`check` prints the names). */
enum node_protection {
	NODE_PROT_LANDLOCK_FS,       /* "landlock.fs": ABI 1 */
	NODE_PROT_LANDLOCK_REFER,    /* "landlock.refer": ABI 2 */
	NODE_PROT_LANDLOCK_TRUNCATE, /* "landlock.truncate": ABI 3 */
	NODE_PROT_LANDLOCK_NET,      /* "landlock.net": ABI 4 */
	NODE_PROT_LANDLOCK_IOCTL,    /* "landlock.ioctl": ABI 5 */
	NODE_PROT_LANDLOCK_SIGNAL,   /* "landlock.signal": ABI 6 */
	NODE_PROT_LANDLOCK_ABSTRACT, /* "landlock.abstract": ABI 6 */
	NODE_PROT_SECCOMP_NOTIFY,    /* "seccomp.notify" */
	NODE_PROT_HIDEPID,           /* "proc.hidepid" */
	NODE_PROT_COUNT,
};

/* "network": {"portRemap": "ask" | "default" | "refuse"}: whether a port that is taken is
 * replaced by a free one. */
enum node_remap {
	NODE_REMAP_ASK,     /* where the bundle's annotation asks for it */
	NODE_REMAP_DEFAULT, /* unless the annotation says false */
	NODE_REMAP_REFUSE,
};

/* "network": {"namespace": …, "unnamedNamespace": …}: what becomes of a network namespace that
 * the bundle names by a path, and of one that it wants to have made (plan/stack.c). */
enum node_ns {
	NODE_NS_AUTO, /* joined; made where somebody is going to fill it */
	NODE_NS_HOST, /* the host's stack in its place */
	NODE_NS_REFUSE,
};

/* Rules of the node with their lines, which refusals name. */
struct node_net_rule {
	struct rule_net rule;
	size_t line;
};

struct node_net_rules {
	const struct node_net_rule *items;
	size_t n;
	size_t line; /* of the key */
};

struct node_policy {
	enum node_unfenced caps_unfenced;
	bool waived[NODE_PROT_COUNT];
	bool own_namespace;      /* "rootfs": {"mode": "detached" | "namespace"} */
	bool mode_by_annotation; /* "rootfs": {"modeByAnnotation": false}: a bundle may ask for
				  * namespace with io.sandlock.rootfs.mode */
	bool mounts_slave;  /* "mounts": {"slave": false}: in that mode a bind that asks for slave
			     * propagation gets it: what the host mounts there later comes in */
	bool mounts_shared; /* "mounts": {"shared": false}: the same of shared: what is mounted
			     * there also reaches the host */
	bool staged;        /* "rootfs": {"assembly": "auto" | "staged"}: forces the pre-6.15 way */
	bool proc_complete; /* "proc": {"complete": true}: uid 0 sees every process of its own
			     * container through a fenced CAP_SYS_PTRACE; default true */
	bool sysv_ipc;      /* "ipc": {"sysv": false}: a bundle without an ipc namespace gets the
			     * host's System V objects */
	bool posix_mqueue;  /* "ipc": {"mqueue": false}: the same for POSIX queues */
	struct plan_ipc_limits ipc_limits; /* of each pod */
	enum node_ns net_namespace;     /* "network": {"namespace": "auto" | "host" | "refuse"} */
	enum node_ns net_unnamed;       /* "unnamedNamespace": the same words */
	struct node_net_rules net_deny; /* "network": {"deny": […]}: always, whatever a bundle
					 * says */
	struct node_net_rules net_ceiling; /* "ceiling": […]: nothing beyond; none: no ceiling */
	struct node_net_rules net_default; /* "default": […]: of a bundle that says nothing */
	bool net_local_rules; /* "localRules": "refuse" | "allow": whether a rule may open loopback,
			       * link-local or the node's own addresses by writing them */
	bool net_ports_by_landlock; /* "portRules": "exact" | "landlock": whether rules that name
				     * TCP ports only are left to Landlock, which knows no
				     * addresses and so opens the node's own as well */
	enum node_remap net_port_remap;
	size_t net_port_remap_line;
	struct rule_ports net_port_range; /* "portRange": "20000-29999": what replaces them */
	struct node_http http;            /* "http": {...}, see node_http.h */
	bool annotations_limited;         /* "annotations": {"allow": [key or prefix*, …]} */
	const char *const *annotations;
	size_t n_annotations;
	size_t annotations_line;
};

/* path NULL: NODE_CONFIG_PATH, which may be missing. A path given must exist. */
int node_load(struct arena *a, const char *path, struct node_policy *ret, struct sl_err *err);

/* The same from memory (fuzzing, tests). */
int node_parse(
	struct arena *a, const char *buf, size_t len, struct node_policy *ret, struct sl_err *err);

/* Whether a bundle may set the key. */
bool node_allows_annotation(const struct node_policy *n, const char *key);

const char *node_protection_name(enum node_protection p);

#endif
