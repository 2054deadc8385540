/* SPDX-License-Identifier: Apache-2.0
 *
 * The node policy: what the operator of this machine permits, from /etc/sandlock-oci/config.json.
 * If the file is missing, the defaults apply. An unknown key, a wrong type or an unknown word is an
 * error that names the key and the line. A bundle can only restrict the policy further.
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

/* "capabilities": {"unfenced": "refuse" | "drop" | "keep"}: what happens if a bundle requests a
 * capability whose use nothing limits (runtime/plan/caps.h). */
enum node_unfenced {
	NODE_UNFENCED_REFUSE,
	NODE_UNFENCED_DROP,
	NODE_UNFENCED_KEEP,
};

/* "protections": {"waive": ["landlock.net", …]}: if this kernel lacks a protection, `create` fails
 * unless the node waives it by its name (`check` prints the names). */
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

/* "network": {"portRemap": "ask" | "default" | "refuse"}: whether a port that is taken is replaced
 * by a free one. */
enum node_remap {
	NODE_REMAP_ASK,     /* if the bundle's annotation asks for it */
	NODE_REMAP_DEFAULT, /* unless the bundle's annotation is false */
	NODE_REMAP_REFUSE,
};

/* "network": {"namespace": …, "unnamedNamespace": …}: what happens with a network namespace that
 * the bundle names by a path, and with a new one (plan/stack.c). */
enum node_ns {
	NODE_NS_AUTO, /* joined; a new one is created if somebody is going to configure it */
	NODE_NS_HOST, /* the host's stack is used instead */
	NODE_NS_REFUSE,
};

/* Rules of the node with their line numbers, which error messages contain. */
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
	bool own_namespace; /* "rootfs": {"mode": "detached" | "namespace"} */
	/* "rootfs": {"modeByAnnotation": false}: a bundle may request namespace mode with
	 * io.sandlock.rootfs.mode */
	bool mode_by_annotation;
	/* "mounts": {"slave": false}: in namespace mode a bind can have slave propagation, so later
	 * mounts of the host appear in it */
	bool mounts_slave;
	/* "mounts": {"shared": false}: the same for shared propagation, so mounts of the container
	 * also appear on the host */
	bool mounts_shared;
	/* "rootfs": {"assembly": "auto" | "staged"}: staged forces the method for kernels before
	 * 6.15 */
	bool staged;
	/* "proc": {"complete": true}: uid 0 sees all processes of its container by a limited
	 * CAP_SYS_PTRACE; default true */
	bool proc_complete;
	/* "ipc": {"sysv": false}: a bundle without an ipc namespace gets the host's System V
	 * objects */
	bool sysv_ipc;
	bool posix_mqueue;                 /* "ipc": {"mqueue": false}: the same for POSIX queues */
	struct plan_ipc_limits ipc_limits; /* of each pod */
	enum node_ns net_namespace; /* "network": {"namespace": "auto" | "host" | "refuse"} */
	enum node_ns net_unnamed;   /* "unnamedNamespace": the same words */
	/* "network": {"deny": […]}: always denied, whatever a bundle says */
	struct node_net_rules net_deny;
	/* "ceiling": […]: nothing beyond these is allowed; empty: there is no ceiling */
	struct node_net_rules net_ceiling;
	struct node_net_rules net_default; /* "default": […]: for a bundle without rules */
	/* "localRules": "refuse" | "allow": whether a rule with exactly this address may open
	 * loopback, link-local or the node's own addresses */
	bool net_local_rules;
	/* "portRules": "exact" | "landlock": whether rules with TCP ports only are left to
	 * Landlock, which does not know addresses and therefore opens the node's own as well */
	bool net_ports_by_landlock;
	enum node_remap net_port_remap;
	size_t net_port_remap_line;
	/* "portRange": "20000-29999": the ports that replace others */
	struct rule_ports net_port_range;
	struct node_http http;    /* "http": {...}, see node_http.h */
	bool annotations_limited; /* "annotations": {"allow": [key or prefix*, …]} */
	const char *const *annotations;
	size_t n_annotations;
	size_t annotations_line;
};

/* path NULL: NODE_CONFIG_PATH, which may be missing. Otherwise the file must exist. */
int node_load(struct arena *a, const char *path, struct node_policy *ret, struct sl_err *err);

/* The same from memory, for fuzzing and tests. */
int node_parse(
	struct arena *a, const char *buf, size_t len, struct node_policy *ret, struct sl_err *err);

/* Whether a bundle may use the annotation. */
bool node_allows_annotation(const struct node_policy *n, const char *key);

const char *node_protection_name(enum node_protection p);

#endif
