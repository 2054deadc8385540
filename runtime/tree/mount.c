/* SPDX-License-Identifier: Apache-2.0
 *
 * Detached mounts (open_tree(2), fsopen(2), mount_setattr(2)) and joining them
 * (move_mount(2)). A mount leaves here with every attribute it will ever have: once it is
 * joined below a detached root the kernel refuses to change it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/proc.h"
#include "runtime/tree/builder.h"

int mount_clone(struct builder *b, int dir_fd, const char *path, bool recursive,
	struct mount_attr *attr, struct sl_err *err)
{
	unsigned int below = recursive ? AT_RECURSIVE : 0;
	unsigned int flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW | below |
			     (path[0] ? 0u : (unsigned int)AT_EMPTY_PATH);
	auto_fd int fd = -1;

	if (!b->no_open_tree_attr) {
		fd = (int)syscall(SYS_open_tree_attr, dir_fd, path, flags, attr, sizeof(*attr));
		if (fd >= 0)
			return take_fd(&fd);
		if (errno != ENOSYS)
			return sl_err_set(err, errno, "clone mount");
		b->no_open_tree_attr = true;
	}
	fd = open_tree(dir_fd, path, flags);
	if (fd < 0)
		return sl_err_set(err, errno, "clone mount");
	if (mount_setattr(fd, "", AT_EMPTY_PATH | below, attr, sizeof(*attr)) < 0)
		return sl_err_set(err, errno, "set mount attributes");
	return take_fd(&fd);
}

int mount_clone_one(
	struct builder *b, int dir_fd, const char *path, uint64_t set, struct sl_err *err)
{
	struct mount_attr attr = { .attr_set = set, .propagation = MS_PRIVATE };

	/* The host's /dev may carry nodev; a device without it would be dead. */
	if (!(set & MOUNT_ATTR_NODEV))
		attr.attr_clr = MOUNT_ATTR_NODEV;
	return mount_clone(b, dir_fd, path, false, &attr, err);
}

int fs_open(const char *type, struct sl_err *err)
{
	int fd = fsopen(type, FSOPEN_CLOEXEC);

	return fd < 0 ? sl_err_set(err, errno, "open file system %s", type) : fd;
}

/* The kernel explains a refused option in the context's log: "e tmpfs: Unknown …". */
static int fs_refused(int fs_fd, const char *what, struct sl_err *err)
{
	int saved = errno;
	char log[256];
	ssize_t n = read(fs_fd, log, sizeof(log) - 1);

	if (n <= 2)
		return sl_err_set(err, saved, "%s", what);
	log[n] = '\0';
	log[strcspn(log, "\n")] = '\0';
	return sl_err_set(err, saved, "%s: %s", what, log + 2);
}

int fs_set(int fs_fd, const char *key, const char *value, struct sl_err *err)
{
	int r = value ? fsconfig(fs_fd, FSCONFIG_SET_STRING, key, value, 0)
		      : fsconfig(fs_fd, FSCONFIG_SET_FLAG, key, NULL, 0);
	char what[128];

	if (r == 0)
		return 0;
	snprintf(what, sizeof(what), "option %s%s%.64s", key, value ? "=" : "", value ? value : "");
	return fs_refused(fs_fd, what, err);
}

int fs_mount(int fs_fd, uint64_t attrs, struct sl_err *err)
{
	int fd;

	if (fsconfig(fs_fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return fs_refused(fs_fd, "create file system", err);
	fd = fsmount(fs_fd, FSMOUNT_CLOEXEC, (unsigned int)attrs);
	return fd < 0 ? fs_refused(fs_fd, "mount file system", err) : fd;
}

static int fs_set_all(int fs_fd, const struct plan_mount *m, struct sl_err *err)
{
	if (fs_set(fs_fd, "source", m->source, err) < 0)
		return -1;
	for (size_t i = 0; i < m->n_fs_options; i++)
		if (fs_set(fs_fd, m->fs_options[i].key, m->fs_options[i].value, err) < 0)
			return -1;
	return 0;
}

static bool has_option(const struct plan_mount *m, const char *key)
{
	for (size_t i = 0; i < m->n_fs_options; i++)
		if (strcmp(m->fs_options[i].key, key) == 0)
			return true;
	return false;
}

static uint64_t fresh_attrs(const struct plan_mount *m)
{
	return (m->attr_set & ~m->attr_rec_clear) | m->attr_rec_set;
}

static int make_plain(const char *type, const struct plan_mount *m, struct sl_err *err)
{
	auto_fd int fs_fd = fs_open(type, err);

	if (fs_fd < 0 || fs_set_all(fs_fd, m, err) < 0)
		return -1;
	return fs_mount(fs_fd, fresh_attrs(m), err);
}

/* In a user namespace a procfs needs a pid namespace of its own and a sysfs a network one.
 * The host's instances are what is left then: whole, because their submounts are locked. */
static int clone_host(struct builder *b, const char *path, const struct plan_mount *m,
	uint64_t more, struct sl_err *err)
{
	struct mount_attr attr = { .attr_set = fresh_attrs(m) | more, .propagation = MS_PRIVATE };

	return mount_clone(b, AT_FDCWD, path, true, &attr, err);
}

static int make_sysfs(struct builder *b, const struct plan_mount *m, struct sl_err *err)
{
	int fd = make_plain("sysfs", m, err);

	return fd < 0 && err->code == EPERM ? clone_host(b, "/sys", m, 0, err) : fd;
}

/* With Landlock's ptrace rule this hides every process of the host at no cost. */
static int hide_processes(int mnt_fd, struct sl_err *err)
{
	auto_fd int fs_fd = fspick(mnt_fd, "", FSPICK_EMPTY_PATH | FSPICK_CLOEXEC);

	if (fs_fd < 0)
		return sl_err_set(err, errno, "hide processes");
	if (fs_set(fs_fd, "hidepid", "ptraceable", err) < 0)
		return -1;
	if (fsconfig(fs_fd, FSCONFIG_CMD_RECONFIGURE, NULL, NULL, 0) < 0)
		return fs_refused(fs_fd, "hide processes", err);
	return 0;
}

static int mount_proc(struct builder *b, const struct plan_mount *m, struct sl_err *err)
{
	auto_fd int fs_fd = fs_open("proc", err), mnt_fd = -1;
	bool hides;

	if (fs_fd < 0 || fs_set_all(fs_fd, m, err) < 0)
		return -1;
	hides = fs_set(fs_fd, "hidepid", "ptraceable", err) == 0;
	if (!hides && !b->fs->hidepid_waived)
		return sl_err_wrap(err, "this kernel lacks proc.hidepid");
	/* The directory of process 1 must be found once: see pid1.c. */
	if (hides && fs_set(fs_fd, "hidepid", "0", err) < 0)
		return -1;
	mnt_fd = fs_mount(fs_fd, fresh_attrs(m), err);
	if (mnt_fd < 0 || pid1_keep(b, mnt_fd, err) < 0 ||
		(hides && hide_processes(mnt_fd, err) < 0))
		return -1;
	return take_fd(&mnt_fd);
}

static int make_proc(struct builder *b, const struct plan_mount *m, struct sl_err *err)
{
	auto_fd int mnt_fd = mount_proc(b, m, err);

	if (mnt_fd >= 0 || err->code != EPERM || !proc_in_user_namespace())
		return take_fd(&mnt_fd);
	/* Others of the same user have entries in it that he may write (oom_score_adj). */
	mnt_fd = clone_host(b, "/proc", m, MOUNT_ATTR_RDONLY, err);
	if (mnt_fd < 0 || pid1_keep(b, mnt_fd, err) < 0)
		return -1;
	return take_fd(&mnt_fd);
}

bool tree_can_mount_proc(void)
{
	struct sl_err ignored;
	auto_fd int fs_fd = fs_open("proc", &ignored);
	auto_fd int mnt_fd = fs_fd < 0 ? -1 : fs_mount(fs_fd, 0, &ignored);

	return mnt_fd >= 0;
}

static int copy_up(int mnt_fd, const struct plan_mount *m, int from_fd, const struct statx *st,
	struct sl_err *err)
{
	uid_t uid = has_option(m, "uid") ? (uid_t)-1 : st->stx_uid;
	gid_t gid = has_option(m, "gid") ? (gid_t)-1 : st->stx_gid;

	if (fchownat(mnt_fd, "", uid, gid, AT_EMPTY_PATH) < 0)
		return sl_err_set(err, errno, "copy up: owner");
	return copyup_directory(from_fd, mnt_fd, err);
}

/* A tmpfs takes the mode of an existing mount point, as runc does. Read-only comes at the
 * end and by its superblock (build.c): mount points inside may still have to be made. */
static int make_tmpfs(const struct plan_mount *m, const struct place *place, struct sl_err *err)
{
	bool inherit = !place->created && !has_option(m, "mode");
	auto_fd int fs_fd = fs_open("tmpfs", err);
	auto_fd int mnt_fd = -1;
	struct statx st;
	char mode[16];

	if (fs_fd < 0 || fs_set_all(fs_fd, m, err) < 0)
		return -1;
	if ((inherit || m->copy_up) &&
		statx(place->fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st) < 0)
		return sl_err_set(err, errno, "stat of the mount point");
	if (inherit) {
		snprintf(mode, sizeof(mode), "%o", st.stx_mode & 07777u);
		if (fs_set(fs_fd, "mode", mode, err) < 0)
			return -1;
	}
	mnt_fd = fs_mount(fs_fd, fresh_attrs(m) & ~(uint64_t)MOUNT_ATTR_RDONLY, err);
	if (mnt_fd < 0)
		return -1;
	if (m->copy_up && !place->created && copy_up(mnt_fd, m, place->fd, &st, err) < 0)
		return -1;
	return take_fd(&mnt_fd);
}

int mount_make(struct builder *b, const struct plan_mount *m, const struct place *place,
	struct sl_err *err)
{
	switch (m->kind) {
	case PLAN_MOUNT_TMPFS: return make_tmpfs(m, place, err);
	case PLAN_MOUNT_PROC: return make_proc(b, m, err);
	case PLAN_MOUNT_SYSFS: return make_sysfs(b, m, err);
	case PLAN_MOUNT_DEVPTS: return make_plain("devpts", m, err);
	case PLAN_MOUNT_MQUEUE:
		return b->fs->mqueue_shared
			       ? make_plain("mqueue", m, err)
			       : synth_directory(b, "mqueue", 01777, fresh_attrs(m), err);
	case PLAN_MOUNT_CGROUP: return synth_cgroup(b, m->destination, fresh_attrs(m), err);
	case PLAN_MOUNT_OVERLAY: return overlay_make(m, fresh_attrs(m), err);
	case PLAN_MOUNT_BIND: break;
	}
	return sl_err_set(err, EINVAL, "not a file system");
}

bool mount_same_fs(int fd, int other_fd)
{
	struct statfs st, other;

	return fstatfs(fd, &st) == 0 && fstatfs(other_fd, &other) == 0 &&
	       st.f_type == other.f_type &&
	       memcmp(&st.f_fsid, &other.f_fsid, sizeof(st.f_fsid)) == 0;
}

/* What is mounted below a shared mount is mounted on the host as well, and would stay there. */
static int check_private(const struct builder *b, const char *path, struct sl_err *err)
{
	for (size_t i = 0; i < b->n_joined; i++) {
		const struct joined *j = &b->joined[i];
		const size_t len = strlen(j->path);

		if (j->plan && j->plan->propagation == MS_SHARED &&
			strncmp(path, j->path, len) == 0 && (path[len] == '/' || path[len] == '\0'))
			return sl_err_set(err, 0, "%s lies in %s, which is shared with the host",
				path, j->path);
	}
	return 0;
}

int mount_join(struct builder *b, int mnt_fd, int to_fd, const char *to_name,
	const struct joined *book, struct sl_err *err)
{
	unsigned int flags = MOVE_MOUNT_F_EMPTY_PATH | (to_name[0] ? 0 : MOVE_MOUNT_T_EMPTY_PATH);

	if (check_private(b, book->path, err) < 0)
		return -1;
	if (move_mount(mnt_fd, "", to_fd, to_name, flags) < 0)
		return sl_err_set(err, errno, "join %s", book->path);
	return ids_book(b, book, mnt_fd, err);
}
