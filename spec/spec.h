/* SPDX-License-Identifier: Apache-2.0
 *
 * The OCI runtime specification (config.json, runtime-spec 1.0 to 1.3) as plain structs.
 *
 * Everything belongs to the arena it was loaded into; strings are NUL-terminated UTF-8
 * without embedded NULs; an absent string is NULL, an absent list has n_… == 0 and a
 * NULL pointer (an *empty* list has a non-NULL pointer where the difference matters).
 * Errors name the path: "process.user.uid: expected number, got string".
 */
#ifndef SANDLOCK_SPEC_SPEC_H
#define SANDLOCK_SPEC_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "runtime/base/arena.h"
#include "runtime/base/err.h"
#include "runtime/base/key_value.h"

/* "RLIMIT_NOFILE"; NULL for a number that has no name. */
const char *spec_rlimit_name(int resource);

struct spec_rlimit {
	int resource; /* RLIMIT_… */
	uint64_t soft;
	uint64_t hard;
};

/* capabilities(7): one bit for each capability number. set: whether the object was present. */
struct spec_caps {
	bool set;
	uint64_t bounding;
	uint64_t effective;
	uint64_t inheritable;
	uint64_t permitted;
	uint64_t ambient;
};

struct spec_scheduler {
	bool set;
	uint32_t policy; /* SCHED_… of sched_setattr(2) */
	int32_t nice;
	uint32_t priority;
	uint64_t flags; /* SCHED_FLAG_… */
	uint64_t runtime;
	uint64_t deadline;
	uint64_t period;
};

struct spec_io_priority {
	bool set;
	int class_; /* IOPRIO_CLASS_RT 1, BE 2, IDLE 3 */
	int priority;
};

/* The OCI Process object: process of config.json, and the file of `exec --process`. */
struct spec_process {
	bool terminal;
	uint16_t console_height;
	uint16_t console_width;
	char **args;
	size_t n_args;
	char **env; /* in the given order and with duplicates; each has a name and a "=" */
	size_t n_env;
	const char *cwd;
	uint32_t uid;
	uint32_t gid;
	uint32_t *additional_gids;
	size_t n_additional_gids;
	bool has_umask;
	uint32_t umask;
	struct spec_caps caps;
	const char *unknown_caps; /* unknown names in caps, separated by spaces; or NULL */
	struct spec_rlimit *rlimits;
	size_t n_rlimits;
	bool no_new_privileges;
	bool has_oom_score_adj;
	int oom_score_adj;
	const char *apparmor_profile;
	const char *selinux_label;
	struct spec_io_priority io_priority;
	struct spec_scheduler scheduler;
	const char *exec_cpu_affinity_initial;
	const char *exec_cpu_affinity_final;
};

struct spec_id_mapping {
	uint32_t container_id;
	uint32_t host_id;
	uint32_t size;
};

struct spec_mount {
	const char *destination;
	const char *type;   /* NULL or "" when absent */
	const char *source; /* NULL when absent */
	char **options;
	size_t n_options;
	struct spec_id_mapping *uid_mappings;
	size_t n_uid_mappings;
	struct spec_id_mapping *gid_mappings;
	size_t n_gid_mappings;
};

struct spec_hook {
	const char *path;
	char **args; /* NULL-terminated; [0] is the program name. NULL when absent */
	size_t n_args;
	char **env;
	size_t n_env;
	int timeout_seconds; /* 0: none */
};

struct spec_hook_list {
	struct spec_hook *items;
	size_t n;
};

struct spec_hooks {
	struct spec_hook_list prestart;
	struct spec_hook_list create_runtime;
	struct spec_hook_list create_container;
	struct spec_hook_list start_container;
	struct spec_hook_list poststart;
	struct spec_hook_list poststop;
};

enum spec_ns_type {
	SPEC_NS_PID,
	SPEC_NS_NETWORK,
	SPEC_NS_MOUNT,
	SPEC_NS_IPC,
	SPEC_NS_UTS,
	SPEC_NS_USER,
	SPEC_NS_CGROUP,
	SPEC_NS_TIME,
	SPEC_NS_COUNT,
};

struct spec_namespace {
	enum spec_ns_type type;
	const char *path; /* NULL when absent or empty */
};

struct spec_device {
	const char *path;
	char type; /* 'c', 'b', 'p', 'u' */
	int64_t major;
	int64_t minor;
	bool has_mode, has_uid, has_gid;
	uint32_t mode, uid, gid;
};

enum spec_device_access {
	SPEC_DEVICE_READ = 1,
	SPEC_DEVICE_WRITE = 2,
	SPEC_DEVICE_MKNOD = 4,
};

/* One entry of linux.resources.devices. A later entry overrides earlier ones. */
struct spec_device_rule {
	bool allow;
	char type;            /* a (all types), b, c */
	int64_t major, minor; /* -1: all numbers */
	unsigned int access;
};

struct spec_resources {
	struct spec_device_rule *device_rules;
	size_t n_device_rules;
	bool has_memory_limit;
	int64_t memory_limit; /* bytes, -1 unlimited */
	bool has_memory_swap;
	int64_t memory_swap;
	bool has_cpu_quota;
	int64_t cpu_quota; /* microseconds, <= 0 unlimited */
	bool has_cpu_period;
	uint64_t cpu_period; /* microseconds */
	bool has_cpu_shares;
	uint64_t cpu_shares;
	bool has_cpu_idle;
	int64_t cpu_idle; /* 1: SCHED_IDLE */
	const char *cpus; /* cpuset list, "0-3,7" */
	const char *mems;
	bool has_pids_limit;
	int64_t pids_limit; /* <= 0 unlimited */
};

enum spec_seccomp_op {
	SPEC_SECCOMP_NE,
	SPEC_SECCOMP_LT,
	SPEC_SECCOMP_LE,
	SPEC_SECCOMP_EQ,
	SPEC_SECCOMP_GE,
	SPEC_SECCOMP_GT,
	SPEC_SECCOMP_MASKED_EQ,
};

/* The kernel would truncate a larger errno (SECCOMP_RET_DATA, MAX_ERRNO). */
#define SPEC_SECCOMP_ERRNO_MAX 4095

struct spec_seccomp_arg {
	unsigned int index;
	uint64_t value;
	uint64_t value_two;
	enum spec_seccomp_op op;
};

struct spec_seccomp_rule {
	char **names;
	size_t n_names;
	const char *action; /* "SCMP_ACT_…" as written */
	bool has_errno_ret;
	uint32_t errno_ret;
	struct spec_seccomp_arg *args;
	size_t n_args;
};

struct spec_seccomp {
	bool set;
	const char *default_action;
	bool has_default_errno_ret;
	uint32_t default_errno_ret;
	char **architectures;
	size_t n_architectures;
	char **flags;
	size_t n_flags;
	const char *listener_path;
	const char *listener_metadata;
	struct spec_seccomp_rule *rules;
	size_t n_rules;
};

struct spec_memory_policy {
	bool set;
	int mode;          /* MPOL_… with its MPOL_F_… (set_mempolicy(2)) */
	const char *nodes; /* "0-3,7"; NULL: none */
};

struct spec_linux {
	bool set;
	struct spec_namespace *namespaces;
	size_t n_namespaces;
	struct spec_id_mapping *uid_mappings;
	size_t n_uid_mappings;
	struct spec_id_mapping *gid_mappings;
	size_t n_gid_mappings;
	struct spec_device *devices;
	size_t n_devices;
	const char *cgroups_path;
	struct spec_resources resources;
	const char *rootfs_propagation;
	struct spec_seccomp seccomp;
	struct spec_memory_policy memory_policy;
	struct key_value *sysctl;
	size_t n_sysctl;
	char **masked_paths;
	size_t n_masked_paths;
	char **readonly_paths;
	size_t n_readonly_paths;
	const char *mount_label;
	bool has_personality;
	const char *personality_domain;
	char **personality_flags;
	size_t n_personality_flags;
};

struct spec {
	const char *oci_version;
	bool has_process;
	struct spec_process process;
	const char *root_path; /* as written; if it is relative, it is relative to the bundle */
	bool root_readonly;
	const char *hostname;
	const char *domainname;
	struct spec_mount *mounts;
	size_t n_mounts;
	struct spec_hooks hooks;
	struct key_value *annotations;
	size_t n_annotations;
	struct spec_linux linux_;

	/* The fields that are present, for support.h: one row for each. */
	const struct spec_present *present;
	size_t n_present;
};

struct json;
struct support_row;

/* A member of the document: its path without indices ("linux.resources.memory.limit"), its full
 * path with indices, and its value shortened for people. It is used by `policy explain`, and to
 * refuse fields that must not be ignored. */
struct spec_present {
	const char *field;
	const char *full_path;
	const char *value;
	const struct support_row *row; /* the row of the support table; NULL: an unknown field */
	const struct json *json;       /* the value itself */
};

#define SPEC_MAX_BYTES                                                                             \
	((size_t)64 * 1024 * 1024) /* argv of 2 MiB and 10 000 variables fit many times */

/* Loads <bundle>/config.json and checks all types and ranges. support.h and runtime/plan decide
 * what the runtime does with a field. */
int spec_load_bundle(struct arena *a, const char *bundle, struct spec *ret, struct sl_err *err);

/* The same from memory, for fuzzing and tests. */
int spec_load_buffer(
	struct arena *a, const char *buf, size_t len, struct spec *ret, struct sl_err *err);

/* An OCI Process object from memory (`exec --process FILE`). */
int spec_load_process(
	struct arena *a, const char *buf, size_t len, struct spec_process *ret, struct sl_err *err);

/* Checks an entry of process.env: a name that is not empty, and a value. */
int spec_check_env(const char *entry, struct sl_err *err);

/* A LinuxResources object from memory (`update -r -`). */
int spec_load_resources(struct arena *a, const char *buf, size_t len, struct spec_resources *ret,
	struct sl_err *err);

/* The type of the file system that is mounted instead of a bind of the host's: "proc", "sysfs" or
 * "cgroup". NULL: the bind is made. */
const char *spec_bind_stands_for(const char *source, const char *destination);

/* "CAP_CHOWN" -> 0. Returns -1 for an unknown name. */
int spec_cap_number(const char *name);
const char *spec_cap_name(unsigned int number); /* NULL when unknown */

/* Adds an unknown name to a list such as spec_process.unknown_caps. */
void spec_cap_note_unknown(struct arena *a, const char *name, const char **list);

#endif
