/* SPDX-License-Identifier: Apache-2.0
 *
 * The plan: bundle, annotations and node policy turned into what will be done. It is a complete
 * value: nothing in it refers to the documents that were read. It does not change after it was
 * made, and nothing from the user is parsed after it. It belongs to the arena.
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

/* Notes and warnings about requests of a bundle that are neither fulfilled nor refused. */
#define PLAN_NOTES_MAX    5
#define PLAN_WARNINGS_MAX 2

struct plan {
	const char *id;
	const char *bundle; /* absolute */
	const char *oci_version;
	const char *hostname; /* NULL: the host's name */
	const char *domainname;
	const struct key_value *annotations;
	size_t n_annotations;
	struct spec_process process;     /* the main process; its capabilities as requested */
	struct plan_own_env own_env;     /* for the main process only */
	struct plan_env_rules env_rules; /* already applied to process; kept for exec */
	struct spec_hooks hooks;
	bool waived[NODE_PROT_COUNT]; /* protections that the node waives */
	struct plan_fs fs;
	struct plan_net net;
	struct plan_http http;
	struct plan_ipc ipc;
	struct plan_limits limits;
	struct caps_rules caps_rules;
	struct caps_decision main_caps; /* of the main process */
	/* the capabilities that init's domain thread keeps for its children (confine/steps.h) */
	uint64_t caps_ceiling;
	bool main_is_1;  /* getpid and getppid return 1 for it */
	bool trap_uname; /* the names shown differ from the host's */
	bool has_personality;
	uint32_t personality;
	struct plan_memory memory; /* linux.memoryPolicy */
	bool new_keyring;
	struct profile profile;     /* linux.seccomp, compiled; insns NULL: the bundle has none */
	const cpu_set_t *exec_cpus; /* process.execCPUAffinity; NULL: the container's CPUs */
	const char *notes[PLAN_NOTES_MAX]; /* for the log, and for `policy explain` */
	size_t n_notes;
	const char *warnings[PLAN_WARNINGS_MAX]; /* also for stderr if there is no log */
	size_t n_warnings;
};

/* What plan_make() reads from files otherwise: a command line or a profile has asked for it
 * (sandbox/). */
struct plan_given {
	struct spec *spec; /* root_path is not used: the root is an empty directory (fs.h) */
	const struct node_policy *node;
	const struct plan_link *links; /* of the root */
	size_t n_links;
	char *const *denied; /* see fs.h */
	size_t n_denied;
};

struct plan_request {
	const char *id;
	const char *bundle; /* absolute */
	const char *config; /* the node's configuration; NULL: NODE_CONFIG_PATH */
	bool new_keyring;
	const struct spec_mount *own_mount; /* in addition to the bundle's mounts; NULL: none */
	struct plan_own_env own_env;
	/* NULL: the node's configuration and the bundle are read; otherwise relative paths of the
	 * given documents are below `bundle` all the same */
	const struct plan_given *given;
};

/* The only way to make a plan: reads the node's configuration and the bundle unless they are given,
 * checks the whole bundle and looks up the host names. Everything that is refused because of the
 * bundle is refused here, so `policy explain` gives the same result as `create`. *ret_spec is the
 * bundle, also if it is refused, or NULL if it could not be read. ret_spec may be NULL. */
int plan_make(struct arena *a, const struct plan_request *request, struct plan *ret,
	const struct spec **ret_spec, struct sl_err *err);

/* Packs a process of the container for init (plan/process.h): the main process or a hook. file
 * NULL: args[0] names the program. */
int plan_pack_process(const struct plan *plan, const struct spec_process *p, const char *file,
	int *ret_fd, struct sl_err *err);

/* The CPUs that an exec'd process asks for. Without a cgroup there is only one moment to set them,
 * so `final` counts if it is set. *ret NULL: it asks for none. */
int plan_exec_cpus(
	struct arena *a, const struct spec_process *p, const cpu_set_t **ret, struct sl_err *err);

/* The warning about unknown capabilities; NULL: there are none. */
const char *plan_caps_warning(struct arena *a, const struct spec_process *p);

#endif
