/* SPDX-License-Identifier: Apache-2.0
 *
 * One process to be started in a container, packed into a sealed memfd. In this form the main
 * process and every exec'd process are passed from the client through the supervisor to init's
 * child. The blob of the main process is kept in the state directory: a later exec starts from it,
 * and neither the bundle nor the node's configuration is read again. The process that packs is
 * trusted (root on the host), and the blob never comes from the workload. Unpacking checks every
 * offset all the same, because an incomplete blob must cause an error and not a crash in the
 * sandbox.
 */
#ifndef SANDLOCK_PLAN_PROCESS_H
#define SANDLOCK_PLAN_PROCESS_H

#include <linux/filter.h>
#include <sched.h>

#include "runtime/plan/caps.h"
#include "runtime/plan/env.h"
#include "spec/spec.h"

/* The version of the layout below. A container that another version has created is refused. */
#define PLAN_PROCESS_VERSION 3

#define PLAN_MAX_RLIMITS     16
#define PLAN_MAX_GROUPS      65536 /* NGROUPS_MAX */

/* Fixed part of the blob; offsets count from the start of the blob, 0 means none. */
struct plan_process {
	uint32_t size;    /* of the whole blob */
	uint32_t version; /* PLAN_PROCESS_VERSION */
	uint32_t uid;
	uint32_t gid;
	uint32_t umask;
	bool no_new_privs;
	bool terminal;
	bool has_oom_score_adj;
	bool has_affinity;
	bool has_exec_affinity;
	bool has_io_priority;
	bool has_scheduler;
	uint16_t console_height;
	uint16_t console_width;
	int32_t oom_score_adj;
	struct spec_caps caps;
	struct spec_caps asked_caps; /* before the node's rules, which also apply to exec */
	struct caps_rules rules;
	struct spec_scheduler scheduler;
	struct spec_io_priority io_priority;
	cpu_set_t affinity;
	cpu_set_t exec_affinity; /* for exec'd processes that do not ask for CPUs themselves */
	uint32_t n_rlimits;
	struct spec_rlimit rlimits[PLAN_MAX_RLIMITS];
	uint32_t n_groups;
	uint32_t groups_off; /* gid_t[n_groups] */
	uint32_t n_args;
	uint32_t args_off; /* uint32_t[n_args]: offsets of the strings */
	uint32_t n_env;
	uint32_t n_own_env; /* the last of the n_env variables */
	uint32_t env_off;
	uint32_t n_env_rules; /* for exec'd processes (env.h) */
	uint32_t env_rules_off;
	uint32_t cwd_off;
	uint32_t file_off;  /* the program; 0: the first argument names it */
	uint32_t n_profile; /* instructions of linux.seccomp; 0: none */
	uint32_t profile_off;
	uint32_t profile_flags;
	uint32_t label_off;      /* written to the file label_file_off before execve */
	uint32_t label_file_off; /* a file below /proc/thread-self/attr */
};

/* Variables for the main process only, and not for processes that are exec'd later, because the
 * caller has passed something to the main process. They come after the bundle's variables. */
#define PLAN_OWN_ENV_MAX 4
#define PLAN_LISTEN_PID                                                                            \
	"LISTEN_PID=" /* the process' own number is put behind it (init/lookup.h)                  \
		       */

struct plan_own_env {
	const char *items[PLAN_OWN_ENV_MAX];
	size_t n;
};

void plan_own_env_add(struct plan_own_env *env, const char *entry);

/* What is packed in addition to the OCI Process object. */
struct plan_process_extra {
	const char *file;             /* NULL: args[0] names the program */
	const struct spec_caps *caps; /* the decided sets (caps.h), which replace process->caps */
	const cpu_set_t *cpus;        /* NULL: the container's CPUs */
	const cpu_set_t *exec_cpus;   /* NULL: the container's CPUs */
	struct plan_own_env own_env;
	struct plan_env_rules env_rules; /* kept for exec'd processes */
	struct caps_rules rules;
	const struct sock_filter *profile;
	size_t n_profile;
	unsigned int profile_flags;
};

/* Refuses what does not fit into the blob, and names the field. */
int plan_process_check(const struct spec_process *p, struct sl_err *err);

/* Returns a sealed, close-on-exec memfd in *ret_fd. */
int plan_process_pack(const struct spec_process *p, const struct plan_process_extra *extra,
	int *ret_fd, struct sl_err *err);

/* The rules for the variables of exec'd processes, from the blob of the main process. */
struct plan_env_rules plan_process_env_rules(struct arena *a, const struct plan_process *p);

/* Maps a blob read-only and checks it. The mapping exists until plan_process_unmap(). */
int plan_process_map(int fd, const struct plan_process **ret, struct sl_err *err);
void plan_process_unmap(const struct plan_process *p);

/* Turns a blob back into a Process object. The strings and lists belong to the mapping or to the
 * arena. */
void plan_process_unpack(struct arena *a, const struct plan_process *b, struct spec_process *ret);

/* NULL for offset 0 */
const char *plan_process_string(const struct plan_process *p, uint32_t off);
const struct sock_filter *plan_process_profile(const struct plan_process *p); /* n_profile */
const char *plan_process_arg(const struct plan_process *p, uint32_t i);
const char *plan_process_env(const struct plan_process *p, uint32_t i);

/* Parses a list such as "0-3,7" (cpuset(7), list format). */
int plan_parse_cpus(const char *list, cpu_set_t *ret, struct sl_err *err);

#endif
