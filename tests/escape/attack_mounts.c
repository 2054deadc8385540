/* SPDX-License-Identifier: Apache-2.0
 *
 * The mount interfaces, old (mount(2), pivot_root(2)) and new (open_tree(2), fsopen(2),
 * move_mount(2), mount_setattr(2), statmount(2)). Landlock stops only some of them.
 * The control arm runs each in a private mount namespace.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/escape/attack.h"
#include "tests/escape/numbers.h"

/* From <sys/mount.h>, which cannot be read beside <linux/mount.h> on every libc. */
#define OLD_MS_REMOUNT 32
#define OLD_MS_BIND    4096
#define OLD_MS_MOVE    8192
#define OLD_MS_PRIVATE (1 << 18)
#define OLD_MNT_DETACH 2

static long mount_old(const char *source, const char *target, const char *type, unsigned long flags)
{
	return syscall(SYS_mount, source, target, type, flags, NULL);
}

static int mounts_tmpfs(struct trial *t, char **args)
{
	(void)t;
	return (int)mount_old("none", args[0], "tmpfs", 0);
}

static int mounts_proc(struct trial *t, char **args)
{
	(void)t;
	return (int)mount_old("none", args[0], "proc", 0);
}

static int mounts_bind(struct trial *t, char **args)
{
	(void)t;
	return (int)mount_old(args[0], args[1], NULL, OLD_MS_BIND);
}

static int mounts_remount(struct trial *t, char **args)
{
	(void)t;
	return (int)mount_old(NULL, args[0], NULL, OLD_MS_REMOUNT | OLD_MS_BIND);
}

static int mounts_move(struct trial *t, char **args)
{
	(void)t;
	return (int)mount_old(args[0], args[1], NULL, OLD_MS_MOVE);
}

static int mounts_private(struct trial *t, char **args)
{
	(void)t;
	return (int)mount_old(NULL, args[0], NULL, OLD_MS_PRIVATE);
}

static int mounts_umount(struct trial *t, char **args)
{
	(void)t;
	return (int)syscall(SYS_umount2, args[0], OLD_MNT_DETACH);
}

static int mounts_pivot(struct trial *t, char **args)
{
	(void)t;
	return (int)syscall(SYS_pivot_root, args[0], args[0]);
}

static int mounts_fsopen(struct trial *t, char **args)
{
	(void)t;
	return got_fd((int)syscall(SYS_fsopen, args[0], 1));
}

/* A device file system of one's own, whose nodes are the host's. */
static int mounts_new_fs(struct trial *t, char **args)
{
	int fs_fd = (int)syscall(SYS_fsopen, args[0], 1);

	if (fs_fd < 0)
		return trial_fail(t, "fsopen");
	if (syscall(SYS_fsconfig, fs_fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return trial_fail(t, "fsconfig");
	return got_fd((int)syscall(SYS_fsmount, fs_fd, 1, 0));
}

static int mounts_fsconfig(struct trial *t, char **args)
{
	(void)t, (void)args;
	return (int)syscall(SYS_fsconfig, -1, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
}

static int mounts_fsmount(struct trial *t, char **args)
{
	(void)t, (void)args;
	return (int)syscall(SYS_fsmount, -1, 0, 0);
}

static int mounts_fspick(struct trial *t, char **args)
{
	(void)t;
	return got_fd((int)syscall(SYS_fspick, AT_FDCWD, args[0], 0));
}

static int mounts_open_tree(struct trial *t, char **args)
{
	unsigned int flags = O_CLOEXEC | (unsigned int)arg_number(args[1]);

	(void)t;
	return got_fd((int)syscall(SYS_open_tree, AT_FDCWD, args[0], flags));
}

static int mounts_open_tree_attr(struct trial *t, char **args)
{
	struct mount_attr attr = { 0 };

	(void)t;
	return got_fd((int)syscall(
		SYS_open_tree_attr, AT_FDCWD, args[0], O_CLOEXEC | 1, &attr, sizeof(attr)));
}

static int mounts_move_mount(struct trial *t, char **args)
{
	(void)t;
	return (int)syscall(SYS_move_mount, AT_FDCWD, args[0], AT_FDCWD, args[1], 0);
}

/* Takes read-only and nodev off again. */
static int mounts_setattr(struct trial *t, char **args)
{
	struct mount_attr attr = { .attr_clr = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV };

	(void)t;
	return (int)syscall(SYS_mount_setattr, AT_FDCWD, args[0], 0, &attr, sizeof(attr));
}

struct id_request {
	uint32_t size;
	uint32_t spare;
	uint64_t mnt_id;
	uint64_t param;
	uint64_t mnt_ns_id;
};

static int mounts_statmount(struct trial *t, char **args)
{
	struct id_request req = { .size = sizeof(req), .param = 2 /* STATMOUNT_MNT_BASIC */ };
	char buffer[4096];
	struct statx st = { 0 };

	if (statx(AT_FDCWD, args[0], 0, STATX_MNT_ID_UNIQUE, &st) < 0)
		return trial_fail(t, "statx");
	req.mnt_id = st.stx_mnt_id;
	return (int)syscall(SYS_statmount, &req, buffer, sizeof(buffer), 0);
}

static int mounts_listmount(struct trial *t, char **args)
{
	struct id_request req = { .size = sizeof(req), .mnt_id = strtoull(args[0], NULL, 0) };
	uint64_t ids[64];
	long n = syscall(SYS_listmount, &req, ids, 64, 0);

	(void)t;
	if (n < 0)
		return -1;
	return n == 0 ? trial_say(t, "empty") : 0;
}

const struct attack attacks_mounts[] = {
	{ "mount-tmpfs", 1, mounts_tmpfs },
	{ "mount-proc", 1, mounts_proc },
	{ "mount-bind", 2, mounts_bind },
	{ "remount", 1, mounts_remount },
	{ "mount-move", 2, mounts_move },
	{ "mount-private", 1, mounts_private },
	{ "umount", 1, mounts_umount },
	{ "pivot-root", 1, mounts_pivot },
	{ "fsopen", 1, mounts_fsopen },
	{ "new-fs", 1, mounts_new_fs },
	{ "fsconfig", 0, mounts_fsconfig },
	{ "fsmount", 0, mounts_fsmount },
	{ "fspick", 1, mounts_fspick },
	{ "open-tree", 2, mounts_open_tree },
	{ "open-tree-attr", 1, mounts_open_tree_attr },
	{ "move-mount", 2, mounts_move_mount },
	{ "mount-setattr", 1, mounts_setattr },
	{ "statmount", 1, mounts_statmount },
	{ "listmount", 1, mounts_listmount },
	{ NULL, 0, NULL },
};
