/* SPDX-License-Identifier: Apache-2.0
 *
 * The detached mount tree: the container's root file system, built without a mount namespace and
 * without changes of the host's mount table (open_tree(2), fsopen(2), move_mount(2),
 * mount_setattr(2)). The tree exists as long as a descriptor or a process in it. These functions
 * run in the supervisor before anything is restricted, and return errors.
 */
#ifndef SANDLOCK_TREE_TREE_H
#define SANDLOCK_TREE_TREE_H

#include <sched.h>
#include <sys/types.h>

#include "runtime/plan/fs.h"

/* With fs->net_view: the directories that the container sees as /proc/net and as the interfaces of
 * sysfs. They are below the context's net_template or, without a template, below scratch_fd. Below
 * scratch_fd they are empty and must be filled before the workload starts. The tree shows them
 * read-only, but a process that has opened them before can continue to write. */
#define TREE_NET_PROC  "hidden/net"
#define TREE_NET_CLASS "net-class"
/* The directory of a template that contains these two, and an empty one beside it. */
#define TREE_NET_FILES "files"
#define TREE_NET_EMPTY "empty"

/* With fs->size_cpus or fs->size_memory: the directory below scratch_fd with the files that replace
 * the kernel's: cpuinfo, stat, loadavg, meminfo, cpus. A file that is shown exists and is empty; it
 * must be filled as described above. */
#define TREE_SIZE "size"

/* The generated cgroup directory, if the bundle mounts one. With fs->size_cgroup each of
 * memory.max, memory.current, pids.max, pids.current, cpu.max and cpuset.cpus.effective is a file
 * by itself and may be written likewise; it already has the limits of the bundle. */
#define TREE_CGROUP "cgroup"

struct tree_context {
	const pid_t *hidden_ids; /* process and thread ids to mask below every procfs of the tree */
	size_t n_hidden_ids;
	/* called once before hidden_ids is read; NULL: the ids are already known */
	int (*await_hidden)(void *arg, struct sl_err *err);
	/* Called after each mount once root_fd is certain to be the root of the tree. The caller
	 * can start work there that need not wait for the whole tree. A staged build never calls
	 * it. NULL: nothing to do. */
	int (*beside)(void *arg, int root_fd, struct sl_err *err);
	void *arg;
	const cpu_set_t *cpus; /* the container's CPUs; NULL: those of the caller */
	/* the mount of a file that is attached nowhere and is to be closed with scratch_fd; or
	 * -1 */
	int loose_fd;
	/* a directory of the host; NULL: the tree makes its own directories */
	const char *net_template;
	const char *const *bundles; /* paths in the tree: files and directories of certificates */
	size_t n_bundles;
	const char
		/* the certificate, in PEM, that is added to each of them; authority_name: its file
		 * name in a directory */
		*authority;
	const char *authority_name;
	uint32_t uid; /* owner of the working directory if it is created; 0 as in runc */
};

struct tree {
	/* O_PATH, close-on-exec; owned by the caller, who must keep it open: on some kernels a
	 * detached tree is complete only as long as it is open */
	int root_fd;
	/* what only the build needed, or -1; to be closed when nobody waits, because the kernel
	 * needs a grace period for that */
	int scratch_fd;
	/* fs->terminal: the master of the pty at /dev/console, owned by the caller; otherwise -1 */
	int console_fd;
	unsigned int console_index; /* of the slave: dev/pts/<index> in the tree */
	uint64_t *mount_ids; /* STATX_MNT_ID_UNIQUE of all mounts (statx(2)); owned by the arena */
	size_t n_mount_ids;
	int *pid1_fds;           /* for tree_show_main() */
	const char **proc_paths; /* the procfs mounts, by the same index; owned by the arena */
	size_t n_procs;          /* 0 also if nothing can be mounted any more (staged) */
	/* the last components of the mount points; NULL: not all are known; owned by the arena */
	const char **mount_names;
	size_t n_mount_names;
};

int tree_build(struct arena *a, const struct plan_fs *fs, const struct tree_context *ctx,
	struct tree *ret, struct sl_err *err);

/* Opens the slave of the console for reading and writing through the tree, so that ttyname(3) in
 * the container finds it. Returns the descriptor (close-on-exec), or -1. */
int tree_open_console(const struct tree *tree, struct sl_err *err);

/* rootfs.mode namespace. Makes a mount namespace that contains one empty read-only directory and
 * nothing of the host. *ret_fd is its file in nsfs. It walks through the host's whole mount table
 * once. It is made on the processor cpu, or on any one if cpu is negative. */
int tree_namespace_make(int cpu, int *ret_fd, struct sl_err *err);
/* Makes the tree the root of the calling process' mount namespace, which must be a copy of that
 * empty one. */
int tree_namespace_fill(const struct tree *tree, struct sl_err *err);
/* Reads the id of a mount namespace, which the kernel never reuses. Returns 0, or -1 with errno. */
int tree_namespace_id(int ns_fd, uint64_t *ret);
/* Reads the id of a process' mount namespace. dir_fd: see proc_open_dir(). Returns 0 when the
 * process is gone. */
uint64_t tree_namespace_of_process(int dir_fd);

/* Shows a process as process 1 in each procfs of the tree. Until this returns the process must
 * exist, so that its number cannot be reused. ret_ids gets the ids of the new mounts, at most
 * n_procs; *ret_n is their number. */
int tree_show_main(
	struct tree *tree, pid_t pid, uint64_t *ret_ids, size_t *ret_n, struct sl_err *err);

/* Reads the mount id of the root directory of a process or thread, which decides whether it belongs
 * to the container. dir_fd: see proc_open_dir(). Returns 0 when it is gone or has no root. */
uint64_t tree_id_of_process(int dir_fd);

/* Whether this kernel can mount into a detached tree (6.15), for `check`. */
bool tree_can_mount_detached(void);
/* Whether a new procfs can be mounted: the root user of a user namespace also needs a pid namespace
 * of its own (user_namespaces(7)), and nothing may cover a part of /proc. */
bool tree_can_mount_proc(void);

#endif
