/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this room share while one tree is built. Not for other rooms.
 *
 * The same code builds a tree in two ways. Detached: the root is attached nowhere; joining mounts
 * below it needs Linux 6.15. Staged: a child process with its own mount namespace attaches the root
 * below a private tmpfs and clones the result at the end. The two differ only in the place of the
 * root and in the way the mount ids are collected.
 *
 * Two rules always hold. All attributes and the propagation of a mount are set before it is joined,
 * because a joined mount of a detached tree cannot be changed. Every place below the root is
 * reached through a descriptor that was resolved with RESOLVE_IN_ROOT, never by a path of the host.
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
	uint64_t id;                   /* 0: not read yet */
	/* for /proc/mounts; f_type 0: it is not listed there */
	struct statfs st;
	unsigned int dev_major, dev_minor;
};

struct fd_list {
	int *items;
	size_t n, cap;
};

struct builder {
	struct arena *a; /* freed with the builder */
	const struct plan_fs *fs;
	const struct tree_context *ctx;
	int root_fd; /* the root of the tree; -1 before it is made */
	/* staged: where the root and the sources of clones are attached; otherwise -1 */
	int stage_fd;
	int synth_fd; /* the runtime's tmpfs; -1 until the first use */
	/* the host's null device for masks, if the runtime may not create one; otherwise -1 */
	int null_fd;
	int console_fd; /* master; -1 without terminal */
	unsigned int console_index;
	bool no_open_tree_attr; /* this kernel lacks open_tree_attr(2) */
	bool brings_mounts;     /* a bind has brought other mounts of the host with it */
	struct joined *joined;
	size_t n_joined, cap_joined;
	uint64_t *ids; /* in the order in which they were added */
	size_t n_ids, cap_ids;
	int *idmap_fds;          /* user namespaces by index of the plan's mounts; -1: none */
	struct fd_list proc;     /* the procfs mounts of the tree */
	const char **proc_paths; /* their paths, by the same index */
	struct fd_list pid1;     /* the directories of process 1 in them, by the same index */
	struct fd_list sys;      /* the sysfs mounts */
	const char **sys_paths;
	int net_fd;            /* fs->net_view: an overlay of the template; -1 until it is used */
	struct fd_list sealed; /* tmpfs mounts whose superblock becomes read-only at the end */
	char **host_mounts;    /* mount points of the host; read once, when a source needs them */
	size_t n_host_mounts;
	bool host_mounts_read;
};

/* The files of this room; each one uses only those above it. builder.c: */
void builder_init(struct builder *b, const struct plan_fs *fs, const struct tree_context *ctx);
void builder_close(struct builder *b);
void *builder_grow(struct builder *b, void *items, size_t n, size_t *cap, size_t size);
/* takes ownership of the descriptor */
void fd_list_add(struct builder *b, struct fd_list *list, int fd);

/* place.c: mount points. */
struct place {
	int fd;           /* O_PATH on the mount point, symlinks resolved; owned by the caller */
	const char *path; /* canonical, inside the root; "/" is the root itself */
	bool created;
};

/* Opens an existing path inside the root; symlinks are followed inside the root. Returns an O_PATH
 * descriptor, or -1 with errno. flags: O_DIRECTORY or 0. */
int place_open(int root_fd, const char *path, int flags);

/* Resolves a mount point, and creates what is missing (mode 0755, owned by root), as a directory or
 * as a file. A wrong type is reported at the latest when a mount is joined there. */
int place_make(struct arena *a, int root_fd, const char *path, bool directory, struct place *ret,
	struct sl_err *err);

/* The same for a path that must exist: err->code is ENOENT when it does not. */
int place_find(
	struct arena *a, int root_fd, const char *path, struct place *ret, struct sl_err *err);

/* Creates the working directory if it is missing: mode 0755, owned by root, as in runc. */
int cwd_make(struct builder *b, struct sl_err *err);

/* ids.c: the mount ids of the tree. */
uint64_t ids_of(int dir_fd, const char *path, int flags); /* 0: unknown */
/* Records a mount. A detached build reads its id at once. */
int ids_book(struct builder *b, const struct joined *book, int fd, struct sl_err *err);
/* Reads the ids of all recorded mounts through another root: the final clone of a staged build. */
int ids_collect(struct builder *b, int root_fd, struct sl_err *err);
int ids_read_host_mounts(struct builder *b, struct sl_err *err);
/* Finds the mount points of the host below fd. The paths are relative to fd, the shortest first. */
int ids_submounts(
	struct builder *b, int fd, const char *const **ret, size_t *ret_n, struct sl_err *err);

/* mount.c: clones mounts and joins them to the tree. */

/* Returns a detached copy of dir_fd/path (path "": of dir_fd itself) with the attributes.
 * recursive: the copy includes the mounts below, and the attributes are for all of them. */
int mount_clone(struct builder *b, int dir_fd, const char *path, bool recursive,
	struct mount_attr *attr, struct sl_err *err);

/* The same for one private mount; `set` are the attributes to set. */
int mount_clone_one(
	struct builder *b, int dir_fd, const char *path, uint64_t set, struct sl_err *err);

/* Whether both descriptors are on one superblock. Works on a hidden directory too. */
bool mount_same_fs(int fd, int other_fd);

/* Joins a detached mount at to_fd/to_name ("" for to_fd itself; a symlink there is covered, not
 * followed) and records it. */
int mount_join(struct builder *b, int mnt_fd, int to_fd, const char *to_name,
	const struct joined *book, struct sl_err *err);

/* fs.c: configures a file system (fsopen(2)). Errors contain the kernel's own message. */
int fs_open(const char *type, struct sl_err *err);
int fs_set(int fs_fd, const char *key, const char *value, struct sl_err *err);
int fs_mount(int fs_fd, uint64_t attrs, struct sl_err *err); /* creates it and returns the mount */
/* Changes an option of a mounted file system. what: a word for the error message. */
int fs_change(int mnt_fd, const char *key, const char *value, const char *what, struct sl_err *err);

/* idmap.c: user namespaces with the mappings of the plan, for MOUNT_ATTR_IDMAP. To be called before
 * a staged build begins, because clone(2) refuses a user namespace to a process whose "/" is
 * covered by another mount. */
int idmap_prepare(struct builder *b, struct sl_err *err);
int idmap_fd(const struct builder *b, const struct plan_mount *m);

/* synth.c: generated files and directories, all on one tmpfs of the runtime. */
/* Attaches a mount to this tmpfs, where the container cannot see it. The tmpfs itself is never
 * joined to the tree: Landlock decides by the parents of a file, and would grant the attached
 * mounts like the rest. */
int synth_hang(struct builder *b, int mnt_fd, bool directory, const char *name, struct sl_err *err);
int synth_directory(
	struct builder *b, const char *name, mode_t mode, uint64_t attrs, struct sl_err *err);
int synth_file(
	struct builder *b, const char *name, const char *text, size_t len, struct sl_err *err);
/* Makes an empty file of mode 0. */
int synth_closed_file(struct builder *b, const char *name, struct sl_err *err);
int synth_link(struct builder *b, const char *name, const char *target, struct sl_err *err);
/* Makes a device node on the runtime's tmpfs. err->code is EPERM where the kernel does not allow
 * that. */
int synth_node(struct builder *b, const char *name, const struct spec_device *d, uint64_t attrs,
	struct sl_err *err);
/* Makes the cgroup directory, which is read-only, with the mount points that other mounts of the
 * plan need below `at`. */
int synth_cgroup(struct builder *b, const char *at, uint64_t attrs, struct sl_err *err);
/* Whether the bundle has its own mount at this path. */
bool synth_is_mounted(const struct plan_fs *fs, const char *path);
int synth_identity(struct builder *b, struct sl_err *err);
int synth_sysctls(struct builder *b, struct sl_err *err);

/* table.c: /proc/mounts of the container. */
int table_populate(struct builder *b, struct sl_err *err);

/* hosts.c: the pinned names of a network policy. */
int hosts_populate(struct builder *b, struct sl_err *err);

/* bundles.c: adds a certificate to the context's bundles. */
int bundles_populate(struct builder *b, struct sl_err *err);

/* view.c: covers the files that show interfaces, if the container must not see all of them
 * (fs->net_view). */
int size_cover(struct builder *b, struct sl_err *err);
int view_cover_sys(struct builder *b, struct sl_err *err);
int view_cover_proc(struct builder *b, struct sl_err *err);
/* The mount that hides a process. With fs->net_view it contains the directory that is shown as
 * /proc/net. */
int view_shade(struct builder *b, struct sl_err *err);

/* mask.c */
int mask_readonly_paths(struct builder *b, struct sl_err *err);
int mask_paths(struct builder *b, struct sl_err *err);
int mask_denied(struct builder *b, struct sl_err *err);
int mask_host_lists(struct builder *b, struct sl_err *err);
int mask_processes(struct builder *b, struct sl_err *err);

/* console.c */
int console_populate(struct builder *b, struct sl_err *err);

/* dev.c */
#define DEVICE_ATTRS (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC)
int dev_populate(struct builder *b, struct sl_err *err);

/* bind.c */
int bind_open(const struct plan_mount *m, bool *ret_directory, struct sl_err *err);
/* Clones the source, and refuses interfaces to the kernel. *ret_below: mount points below it. */
int bind_make(struct builder *b, const struct plan_mount *m, int source_fd,
	const char *const **ret_below, size_t *ret_n, struct sl_err *err);
/* Fails when fd is on a file system that reads or controls the host's kernel. */
int bind_check_source(int fd, const char *what, struct sl_err *err);

/* nodes.c: makes the granted devices usable in a directory of the host that was bound at path. */
int nodes_open(struct builder *b, int source_fd, const char *path, struct sl_err *err);

/* pid1.c: keeps the directory of process 1 of a new procfs open, before processes are hidden. */
int pid1_keep(struct builder *b, int proc_fd, struct sl_err *err);

/* copyup.c: copies the content of from_fd into the directory to_fd. */
int copyup_directory(int from_fd, int to_fd, struct sl_err *err);

/* overlay.c */
int overlay_make(const struct plan_mount *m, uint64_t attrs, struct sl_err *err);

/* fresh.c: makes the detached mount of an entry of the plan that is not a bind. */
int fresh_make(struct builder *b, const struct plan_mount *m, const struct place *place,
	struct sl_err *err);

/* build.c: runs all steps in order. */
int build_steps(struct builder *b, struct sl_err *err);

/* staged.c: the same in a child process with its own mount namespace. */
int staged_build(struct builder *b, struct sl_err *err);

#endif
