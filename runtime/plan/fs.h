/* SPDX-License-Identifier: Apache-2.0
 *
 * The mount plan: root, mounts, devices, masked and read-only paths of the bundle in the form that
 * runtime/tree uses, with all options parsed. Nothing is opened here.
 */
#ifndef SANDLOCK_PLAN_FS_H
#define SANDLOCK_PLAN_FS_H

#include "runtime/plan/node.h"
#include "spec/spec.h"

enum plan_mount_kind {
	PLAN_MOUNT_BIND,
	PLAN_MOUNT_TMPFS,
	PLAN_MOUNT_PROC,
	PLAN_MOUNT_SYSFS,
	PLAN_MOUNT_DEVPTS,
	/* an empty private directory; the host's queues if the node permits them */
	PLAN_MOUNT_MQUEUE,
	PLAN_MOUNT_CGROUP, /* a generated read-only directory */
	PLAN_MOUNT_OVERLAY,
};

struct plan_mount {
	enum plan_mount_kind kind;
	const char *destination; /* absolute and lexically clean, never "/" */
	/* bind: absolute path on the host (a relative one is below the bundle) */
	const char *source;
	bool recursive;    /* rbind */
	uint64_t attr_set; /* MOUNT_ATTR_… (mount_setattr(2)) */
	uint64_t attr_clear;
	uint64_t attr_rec_set; /* rro, rnodev, …: for all mounts of the bind */
	uint64_t attr_rec_clear;
	uint64_t propagation; /* MS_PRIVATE, MS_SLAVE, or MS_SHARED if plan.c permits it */
	bool idmap;
	bool idmap_recursive; /* ridmap */
	const struct spec_id_mapping *uid_mappings;
	size_t n_uid_mappings;
	const struct spec_id_mapping *gid_mappings;
	size_t n_gid_mappings;
	bool copy_up; /* tmpcopyup */
	struct key_value
		*fs_options; /* size, mode, gid, lowerdir, … for fsconfig(2); value NULL: flag */
	size_t n_fs_options;
};

/* A symlink of an empty root. */
struct plan_link {
	const char *path; /* absolute and lexically clean */
	const char *target;
};

struct plan_fs {
	/* absolute; NULL: the root is an empty directory of the container's own, with root_links */
	const char *root_path;
	const struct plan_link *root_links; /* parents come before what lies below them */
	size_t n_root_links;
	bool root_readonly;
	uint64_t root_propagation; /* linux.rootfsPropagation: MS_PRIVATE or MS_SLAVE */
	bool own_namespace;        /* the finished tree is the only content of a mount namespace */
	/* the empty namespace that it is made from is not kept for other containers */
	bool namespace_once;
	/* build the tree in a child process with its own mount namespace */
	bool staged;
	struct plan_mount *mounts;
	size_t n_mounts;
	/* the default devices and linux.devices, one for each path */
	const struct spec_device *devices;
	size_t n_devices;
	char *const *masked_paths;
	size_t n_masked_paths;
	/* covered by a file or directory that nobody may open; each exists */
	char *const *denied_paths;
	size_t n_denied_paths;
	char *const *readonly_paths;
	size_t n_readonly_paths;
	const char *hostname; /* NULL: the host's name is shown */
	const char *domainname;
	const struct spec_resources *resources; /* for the generated cgroup directory */
	bool terminal;                          /* the container needs /dev/console */
	const char *cwd;                        /* created if it is missing; NULL: none */
	/* shown below /proc/sys; the host's settings do not change */
	const struct key_value *sysctls;
	size_t n_sysctls;
	bool own_ipc; /* System V objects belong to the pod, so the host's are hidden */
	/* the bundle asks for the host's POSIX queues, and the node permits it */
	bool mqueue_shared;
	bool net_view;            /* /proc/net and the interfaces of sysfs are covered */
	bool size_cpus;           /* the files that show the machine's CPUs are covered */
	bool size_memory;         /* the files that show the machine's memory are covered */
	bool size_cgroup;         /* the generated cgroup directory follows the container */
	const char *pinned_hosts; /* lines to add to /etc/hosts; NULL: none */
	bool hidepid_waived;      /* NODE_PROT_HIDEPID: a procfs without hidepid is accepted */
};

/* One line that describes a value of rootfs.mode. */
const char *plan_fs_mode(bool own_namespace);

/* Whether the supervisor must report that mount points are busy: the tree is detached, so the
 * kernel does not report it, and it has mounts. */
bool plan_fs_busy(const struct plan_fs *fs);

int plan_fs_build(struct arena *a, const struct spec *spec, const struct node_policy *node,
	const char *bundle, struct plan_fs *ret, struct sl_err *err);

#endif
