/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this room share while one tree is built. Not for other rooms.
 *
 * Two assemblies run the same code: detached (the root is attached nowhere; joining below
 * it needs Linux 6.15) and staged (a child with a mount namespace of its own hangs the
 * root below a private tmpfs and clones the result at the end). Only where the root sits
 * and how mount ids are collected differs.
 *
 * Invariants: every attribute and the propagation of a mount are set before it is joined
 * (a joined mount of a detached tree cannot be changed); every place below the root is
 * reached through a descriptor resolved with RESOLVE_IN_ROOT, never by a host path.
 */
#ifndef SANDLOCK_TREE_INTERNAL_H
#define SANDLOCK_TREE_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/kernel.h"
#include "runtime/tree/tree.h"

/* One mount of the tree. */
struct joined {
	const char *path;              /* canonical, inside the root */
	const struct plan_mount *plan; /* NULL: the root, a device, a mask, a generated file */
	uint64_t id;                   /* 0: not asked yet */
	struct statfs st;              /* of the root and the plan's mounts: for /proc/mounts */
};

struct fd_list {
	int *items;
	size_t n, cap;
};

struct builder {
	struct arena *a; /* scratch: gone with the builder */
	const struct plan_fs *fs;
	const struct tree_context *ctx;
	int root_fd;    /* root of the tree; -1 before it is made */
	int stage_fd;   /* staged: where the root and clone sources hang; else -1 */
	int synth_fd;   /* the runtime's tmpfs; -1 until the first use */
	int null_fd;    /* the host's null device, to mask files with, where we make none; or -1 */
	int console_fd; /* master; -1 without terminal */
	unsigned int console_index;
	bool no_open_tree_attr; /* this kernel lacks open_tree_attr(2) */
	bool brings_mounts;     /* a bind came with mounts of the host below it */
	struct joined *joined;
	size_t n_joined, cap_joined;
	uint64_t *ids; /* sorted only by time */
	size_t n_ids, cap_ids;
	int *idmap_fds;          /* user namespaces by row of the plan's mounts, -1 where none */
	struct fd_list proc;     /* the procfs mounts of the tree */
	const char **proc_paths; /* of the same, by index */
	struct fd_list pid1;     /* the directories of process 1 in them, by index */
	struct fd_list sys;      /* the sysfs mounts */
	const char **sys_paths;
	int net_fd;            /* fs->net_view: an overlay of the template; -1 until used */
	struct fd_list sealed; /* tmpfs mounts whose superblock turns read-only at the end */
	char **host_mounts;    /* mount points of the host: read once, when a source asks */
	size_t n_host_mounts;
	bool host_mounts_read;
};

/* The files of this room: each uses only those above it. builder.c: */
void builder_init(struct builder *b, const struct plan_fs *fs, const struct tree_context *ctx);
void builder_close(struct builder *b);
void *builder_grow(struct builder *b, void *items, size_t n, size_t *cap, size_t size);
void fd_list_add(struct builder *b, struct fd_list *list, int fd); /* takes the descriptor */

/* place.c: mount points. */
struct place {
	int fd;           /* O_PATH on the mount point, symlinks resolved; owned by the caller */
	const char *path; /* canonical, inside the root; "/" is the root itself */
	bool created;
};

/* An existing path inside the root, symlinks followed inside it. Returns an O_PATH
 * descriptor, or -1 with errno. flags: O_DIRECTORY or 0. */
int place_open(int root_fd, const char *path, int flags);

/* Resolves a mount point and creates what is missing (0755, owned by root). A directory is
 * asked for or a file; a wrong type is an error at the latest when something is joined. */
int place_make(struct arena *a, int root_fd, const char *path, bool directory, struct place *ret,
	struct sl_err *err);

/* The same for what must exist already: err->code is ENOENT when it does not. */
int place_find(
	struct arena *a, int root_fd, const char *path, struct place *ret, struct sl_err *err);

/* The working directory, where it is missing: mode 0755, of root, as runc does. */
int cwd_make(struct builder *b, struct sl_err *err);

/* ids.c: the mount ids of the tree. */
uint64_t ids_of(int dir_fd, const char *path, int flags); /* 0: cannot be told */
/* Books a mount; in the detached assembly its id is taken at once. */
int ids_book(struct builder *b, const struct joined *book, int fd, struct sl_err *err);
/* Asks all booked mounts again through another root: the staged assembly's final clone. */
int ids_collect(struct builder *b, int root_fd, struct sl_err *err);
int ids_read_host_mounts(struct builder *b, struct sl_err *err);
/* Mount points of the host below what fd is, relative to it, shortest first. */
int ids_submounts(
	struct builder *b, int fd, const char *const **ret, size_t *ret_n, struct sl_err *err);

/* mount.c: clones of mounts, and joining them. */

/* A detached copy of dir_fd/path (path "": of the descriptor itself) with the attributes
 * set, on all of it when recursive. */
int mount_clone(struct builder *b, int dir_fd, const char *path, bool recursive,
	struct mount_attr *attr, struct sl_err *err);

/* The same for one private mount that gets these attributes more. */
int mount_clone_one(
	struct builder *b, int dir_fd, const char *path, uint64_t set, struct sl_err *err);

/* Whether both are on one superblock; asks nothing of what they are themselves. */
bool mount_same_fs(int fd, int other_fd);

/* Joins a detached mount at to_fd/to_name ("" for to_fd itself; a symlink there is mounted
 * over, not followed) and books it. */
int mount_join(struct builder *b, int mnt_fd, int to_fd, const char *to_name,
	const struct joined *book, struct sl_err *err);

/* fs.c: a file system being configured (fsopen(2)). Errors carry the kernel's own message. */
int fs_open(const char *type, struct sl_err *err);
int fs_set(int fs_fd, const char *key, const char *value, struct sl_err *err);
int fs_mount(int fs_fd, uint64_t attrs, struct sl_err *err); /* creates it, returns the mount */
/* Changes an option of what is mounted already; what: for the error. */
int fs_change(int mnt_fd, const char *key, const char *value, const char *what, struct sl_err *err);

/* idmap.c: user namespaces with the mappings of the plan, for MOUNT_ATTR_IDMAP. Before
 * anything is staged: clone(2) refuses them to a process whose "/" is mounted over. */
int idmap_prepare(struct builder *b, struct sl_err *err);
int idmap_fd(const struct builder *b, const struct plan_mount *m);

/* synth.c: generated files and directories, all on one tmpfs of the runtime. */
/* Attaches a mount there, out of the tree's sight. The tmpfs itself is never joined to the tree:
 * Landlock judges a file by what is above it, and would grant what hangs there like the rest. */
int synth_hang(struct builder *b, int mnt_fd, bool directory, const char *name, struct sl_err *err);
int synth_directory(
	struct builder *b, const char *name, mode_t mode, uint64_t attrs, struct sl_err *err);
int synth_file(
	struct builder *b, const char *name, const char *text, size_t len, struct sl_err *err);
int synth_link(struct builder *b, const char *name, const char *target, struct sl_err *err);
/* A device on the runtime's tmpfs. err->code EPERM where the kernel lets us make none. */
int synth_node(struct builder *b, const char *name, const struct spec_device *d, uint64_t attrs,
	struct sl_err *err);
/* With the mount points that other mounts of the plan need below at, which is read-only. */
int synth_cgroup(struct builder *b, const char *at, uint64_t attrs, struct sl_err *err);
/* The bundle has a mount of its own there. */
bool synth_is_mounted(const struct plan_fs *fs, const char *path);
int synth_identity(struct builder *b, struct sl_err *err);
int synth_sysctls(struct builder *b, struct sl_err *err);

/* table.c: /proc/mounts of the container. */
int table_populate(struct builder *b, struct sl_err *err);

/* hosts.c: the pinned names of a network policy. */
int hosts_populate(struct builder *b, struct sl_err *err);

/* bundles.c: one certificate more in the context's bundles. */
int bundles_populate(struct builder *b, struct sl_err *err);

/* view.c: where interfaces are seen, when all of them are not to be (fs->net_view). */
int size_cover(struct builder *b, struct sl_err *err);
int view_cover_sys(struct builder *b, struct sl_err *err);
int view_cover_proc(struct builder *b, struct sl_err *err);
/* The mount that hides a process: with fs->net_view it holds what is seen as /proc/net. */
int view_shade(struct builder *b, struct sl_err *err);

/* mask.c */
int mask_readonly_paths(struct builder *b, struct sl_err *err);
int mask_paths(struct builder *b, struct sl_err *err);
int mask_host_lists(struct builder *b, struct sl_err *err);
int mask_processes(struct builder *b, struct sl_err *err);

/* console.c */
int console_populate(struct builder *b, struct sl_err *err);

/* dev.c */
#define DEVICE_ATTRS (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC)
int dev_populate(struct builder *b, struct sl_err *err);

/* bind.c */
int bind_open(const struct plan_mount *m, bool *ret_directory, struct sl_err *err);
/* Clones the source and refuses kernel interfaces; *ret_below: mount points below it. */
int bind_make(struct builder *b, const struct plan_mount *m, int source_fd,
	const char *const **ret_below, size_t *ret_n, struct sl_err *err);
/* Refuses when fd is on a file system through which the host's kernel is controlled. */
int bind_check_source(int fd, const char *what, struct sl_err *err);

/* nodes.c: what is granted of the host's devices in a directory that was bound at path. */
int nodes_open(struct builder *b, int source_fd, const char *path, struct sl_err *err);

/* pid1.c: keeps the directory of process 1 in a new procfs, while it is to be seen. */
int pid1_keep(struct builder *b, int proc_fd, struct sl_err *err);

/* copyup.c: copies what is below from_fd into the directory to_fd. */
int copyup_directory(int from_fd, int to_fd, struct sl_err *err);

/* overlay.c */
int overlay_make(const struct plan_mount *m, uint64_t attrs, struct sl_err *err);

/* fresh.c: the detached mount of one row of the plan that is no bind. */
int fresh_make(struct builder *b, const struct plan_mount *m, const struct place *place,
	struct sl_err *err);

/* build.c: the ordered story, from the first clone to the last attribute. */
int build_steps(struct builder *b, struct sl_err *err);

/* staged.c: the same in a child with its own mount namespace. */
int staged_build(struct builder *b, struct sl_err *err);

#endif
