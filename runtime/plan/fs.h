/* SPDX-License-Identifier: Apache-2.0
 *
 * The mount plan: root, mounts, devices, masked and read-only paths of the bundle as what
 * runtime/tree has to do, with every option already parsed. Pure: opens nothing.
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
	PLAN_MOUNT_MQUEUE, /* an empty private directory; the host's queues where allowed */
	PLAN_MOUNT_CGROUP, /* a read-only synthesised directory */
	PLAN_MOUNT_OVERLAY,
};

struct plan_mount {
	enum plan_mount_kind kind;
	const char *destination; /* absolute and lexically clean, never "/" */
	const char *source;      /* bind: absolute host path (bundle-relative ones are joined) */
	bool recursive;          /* rbind */
	uint64_t attr_set;       /* MOUNT_ATTR_… (mount_setattr(2)) */
	uint64_t attr_clear;
	uint64_t attr_rec_set; /* rro, rnodev, …: for the whole tree of the bind */
	uint64_t attr_rec_clear;
	uint64_t propagation; /* MS_PRIVATE, MS_SLAVE, or MS_SHARED where plan.c lets it be */
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

struct plan_fs {
	const char *root_path; /* absolute */
	bool root_readonly;
	uint64_t root_propagation; /* linux.rootfsPropagation: MS_PRIVATE or MS_SLAVE */
	bool own_namespace;        /* the finished tree is alone in a mount namespace */
	bool staged;               /* assemble in a helper with its own mount namespace */
	struct plan_mount *mounts;
	size_t n_mounts;
	const struct spec_device *devices; /* default set + linux.devices, one per path */
	size_t n_devices;
	char *const *masked_paths;
	size_t n_masked_paths;
	char *const *readonly_paths;
	size_t n_readonly_paths;
	const char *hostname; /* NULL: the host's is shown */
	const char *domainname;
	const struct spec_resources *resources; /* for the synthesised cgroup directory */
	bool terminal;                          /* /dev/console is wanted */
	const char *cwd;                        /* is made where it is missing; NULL: none */
	const struct key_value *sysctls; /* shown below /proc/sys; the host's stay as they are */
	size_t n_sysctls;
	bool own_ipc;             /* System V objects are the pod's, so the host's are not told */
	bool mqueue_shared;       /* the host's POSIX queues are asked for and allowed */
	bool net_view;            /* /proc/net and the interfaces of sysfs are covered */
	bool size_cpus;           /* what tells of the machine's processors is covered */
	bool size_memory;         /* and of its memory */
	const char *pinned_hosts; /* lines to add to /etc/hosts; NULL: none */
	bool hidepid_waived;      /* NODE_PROT_HIDEPID: a procfs without hidepid is accepted */
};

/* What a rootfs.mode gives, in a line. */
const char *plan_fs_mode(bool own_namespace);

/* Whether the runtime has to say that mount points are busy: in a detached tree that has some,
 * where nobody else does. */
bool plan_fs_busy(const struct plan_fs *fs);

int plan_fs_build(struct arena *a, const struct spec *spec, const struct node_policy *node,
	const char *bundle, struct plan_fs *ret, struct sl_err *err);

#endif
