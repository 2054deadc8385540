/* SPDX-License-Identifier: Apache-2.0
 *
 * The detached mount tree: the container's root, built without a mount namespace and
 * without touching the host's mount table (open_tree(2), fsopen(2), move_mount(2),
 * mount_setattr(2)). The tree lives as long as a descriptor or a process in it does.
 * Runs in the supervisor before anything is confined: errors are returned.
 */
#ifndef SANDLOCK_TREE_TREE_H
#define SANDLOCK_TREE_TREE_H

#include <sched.h>
#include <sys/types.h>

#include "runtime/plan/fs.h"

/* With fs->net_view: the directories that are seen as /proc/net and as the interfaces of
 * sysfs, below the context's net_template or, without one, below scratch_fd. There they are
 * empty, to be filled before the workload starts, and who holds them open can go on writing
 * (the tree shows them read-only). */
#define TREE_NET_PROC  "hidden/net"
#define TREE_NET_CLASS "net-class"
/* Where these two are in a template, and an empty directory beside it. */
#define TREE_NET_FILES "files"
#define TREE_NET_EMPTY "empty"

/* With fs->size_cpus or size_memory: below scratch_fd, the directory of the files that are seen in
 * place of the kernel's: cpuinfo, stat, loadavg, meminfo, cpus. They are there, and empty, where
 * they are seen; to be filled as the above. */
#define TREE_SIZE "size"

struct tree_context {
	const pid_t *hidden_ids; /* process and thread ids to mask below every procfs of the tree */
	size_t n_hidden_ids;
	/* Called once before they are read; NULL: they are there already. */
	int (*await_hidden)(void *arg, struct sl_err *err);
	/* Called between two mounts, once root_fd is what the tree's stays, and again until the
	 * build ends: what need not wait for the whole tree gets under way beside it. A staged
	 * assembly has no such moment and never calls. NULL: nothing to do. */
	int (*beside)(void *arg, int root_fd, struct sl_err *err);
	void *arg;
	const cpu_set_t *cpus; /* the container's processors; NULL: those of the caller */
	int loose_fd; /* a file's mount that is attached nowhere, to go with scratch_fd; or -1 */
	const char *net_template;   /* a directory of the host; NULL: the tree makes its own */
	const char *const *bundles; /* files and directories of certificates, in the tree, */
	size_t n_bundles;
	const char
		*authority; /* which get this one more, in PEM; in a directory it has this name */
	const char *authority_name;
	uint32_t uid; /* owner of the working directory made here: 0 as runc does */
};

struct tree {
	int root_fd; /* O_PATH, close-on-exec; owned by the caller. A detached tree is whole for as
		      * long as this open file is, and no longer on every kernel */
	int scratch_fd; /* what only building needed, or -1; to be closed when nobody waits: closing
			 * takes the kernel a grace period */
	int console_fd; /* fs->terminal: master of the pty bound at /dev/console, else -1; owned
			 * by the caller */
	unsigned int console_index; /* of its slave: dev/pts/<index> in the tree */
	uint64_t *mount_ids; /* STATX_MNT_ID_UNIQUE of all its mounts (statx(2)); the arena's */
	size_t n_mount_ids;
	int *pid1_fds;            /* for tree_show_main() */
	const char **proc_paths;  /* the procfs mounts, by the same index; the arena's */
	size_t n_procs;           /* 0 as well where nothing more can be mounted (staged) */
	const char **mount_names; /* last components of its mount points; NULL: not all are known;
				   * the arena's */
	size_t n_mount_names;
};

int tree_build(struct arena *a, const struct plan_fs *fs, const struct tree_context *ctx,
	struct tree *ret, struct sl_err *err);

/* Opens the slave of the console for reading and writing through the tree, so that
 * ttyname(3) inside finds it. Returns the descriptor (close-on-exec), or -1. */
int tree_open_console(const struct tree *tree, struct sl_err *err);

/* rootfs.mode namespace. Makes a mount namespace that holds one empty read-only directory and
 * nothing of the host: *ret_fd is its file of nsfs. Costs a look at the host's whole mount table.
 */
int tree_namespace_make(int *ret_fd, struct sl_err *err);
/* Makes the tree the root of the calling process' mount namespace, which is a copy of that one. */
int tree_namespace_fill(const struct tree *tree, struct sl_err *err);
/* The id of a mount namespace, which no other one ever has. Returns 0, or -1 with errno. */
int tree_namespace_id(int ns_fd, uint64_t *ret);
/* The same of the one that a process is in, by its directory (proc_open_dir()); 0 when it is gone.
 */
uint64_t tree_namespace_of_process(int dir_fd);

/* Shows a process as process 1 in each procfs of the tree. The number must be the process's own
 * until this returns. *ret_n ids, at most n_procs, are those of the mounts this makes. */
int tree_show_main(
	struct tree *tree, pid_t pid, uint64_t *ret_ids, size_t *ret_n, struct sl_err *err);

/* The mount id by which membership is decided: of the root directory of a process or a thread, by
 * its directory (proc_open_dir()). Returns 0 when it is gone or has no root. */
uint64_t tree_id_of_process(int dir_fd);

/* What this kernel can do, for `check`: mounting into a detached tree (6.15). */
bool tree_can_mount_detached(void);
/* The same for a procfs of one's own: root of a user namespace needs a pid namespace as well
 * (user_namespaces(7)), and nothing that covers a part of /proc. */
bool tree_can_mount_proc(void);

#endif
