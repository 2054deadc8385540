/* SPDX-License-Identifier: Apache-2.0
 *
 * The plan: bundle, annotations and node policy turned into what will be done. A complete value:
 * nothing in it leads back to the bundle's document or the node's configuration. Immutable once
 * made; after it nobody parses anything from the user again. Belongs to the arena.
 */
#ifndef SANDLOCK_PLAN_PLAN_H
#define SANDLOCK_PLAN_PLAN_H

#include <sched.h>

#include "runtime/plan/caps.h"
#include "runtime/plan/fs.h"
#include "runtime/plan/http.h"
#include "runtime/plan/ipc.h"
#include "runtime/plan/limits.h"
#include "runtime/plan/memory.h"
#include "runtime/plan/net.h"
#include "runtime/plan/node.h"
#include "runtime/plan/process.h"
#include "runtime/seccomp/profile.h"
#include "spec/spec.h"

/* What becomes of a bundle's wish that is neither fulfilled nor refused. */
#define PLAN_NOTES_MAX    4
#define PLAN_WARNINGS_MAX 2

struct plan {
	const char *id;
	const char *bundle; /* absolute */
	const char *oci_version;
	const char *hostname; /* NULL: none of its own */
	const char *domainname;
	const struct key_value *annotations;
	size_t n_annotations;
	struct spec_process process;     /* the main one; its capabilities as they were asked for */
	struct plan_own_env own_env;     /* of the main one alone */
	struct plan_env_rules env_rules; /* already followed in process; kept for exec */
	struct spec_hooks hooks;
	bool waived[NODE_PROT_COUNT]; /* protections that the node does without */
	struct plan_fs fs;
	struct plan_net net;
	struct plan_http http;
	struct plan_ipc ipc;
	struct plan_limits limits;
	struct caps_rules caps_rules;
	struct caps_decision main_caps; /* of the main process */
	uint64_t caps_ceiling; /* what init's domain thread keeps to hand on (confine/steps.h) */
	bool main_is_1;        /* for getpid and getppid */
	bool trap_uname;       /* the names shown differ from the host's */
	bool has_personality;
	uint32_t personality;
	struct plan_memory memory; /* linux.memoryPolicy */
	bool new_keyring;
	struct profile profile;     /* linux.seccomp, compiled; insns NULL: the bundle has none */
	const cpu_set_t *exec_cpus; /* process.execCPUAffinity; NULL: those of the container */
	const char *notes[PLAN_NOTES_MAX]; /* for the log, and for `policy explain` */
	size_t n_notes;
	const char *warnings[PLAN_WARNINGS_MAX]; /* for stderr as well, where there is no log */
	size_t n_warnings;
};

struct plan_request {
	const char *id;
	const char *bundle; /* absolute */
	const char *config; /* of the node; NULL: NODE_CONFIG_PATH */
	bool new_keyring;
	const struct spec_mount *own_mount; /* beside the bundle's; NULL: none */
	struct plan_own_env own_env;
};

/* The only way to a plan: reads the node's configuration and the bundle, judges the whole bundle
 * and looks up the names of its rules. What is refused for what the bundle says is refused here, so
 * that `policy explain` says what `create` would say. *ret_spec is the bundle, NULL until it could
 * be read; it is there also when the bundle is refused. ret_spec NULL: not wanted. */
int plan_make(struct arena *a, const struct plan_request *request, struct plan *ret,
	const struct spec **ret_spec, struct sl_err *err);

/* Packs a process of the container for init (plan/process.h): the main one or a hook. file NULL:
 * args[0] names the program. */
int plan_pack_process(const struct plan *plan, const struct spec_process *p, const char *file,
	int *ret_fd, struct sl_err *err);

/* The processors that an exec'd process asks for. Without a cgroup there is one moment only: what
 * it has in the end counts. *ret NULL: it asks for none. */
int plan_exec_cpus(
	struct arena *a, const struct spec_process *p, const cpu_set_t **ret, struct sl_err *err);

/* What is told of capabilities that nobody knows; NULL: there are none. */
const char *plan_caps_warning(struct arena *a, const struct spec_process *p);

#endif
