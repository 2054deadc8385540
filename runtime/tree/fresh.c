/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the detached mount of an entry of the plan that is not a bind. The mount has all its final
 * attributes, because they cannot be changed after it is joined (mount.c).
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/proc.h"
#include "runtime/tree/internal.h"

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

/* In a user namespace a new procfs needs a new pid namespace, and a new sysfs needs a new network
 * namespace. Without those only the host's instances can be used, as a whole, because their
 * submounts are locked. */
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

static int mount_proc(struct builder *b, const struct plan_mount *m, struct sl_err *err)
{
	auto_fd int fs_fd = fs_open("proc", err), mnt_fd = -1;
	bool hides;

	if (fs_fd < 0 || fs_set_all(fs_fd, m, err) < 0)
		return -1;
	/* Together with Landlock's ptrace rule this option hides every process of the host, at no
	 * cost. */
	hides = fs_set(fs_fd, "hidepid", "ptraceable", err) == 0;
	if (!hides && !b->fs->hidepid_waived)
		return sl_err_wrap(err, "this kernel lacks proc.hidepid");
	/* The directory of process 1 must be opened before processes are hidden, see pid1.c. */
	if (hides && fs_set(fs_fd, "hidepid", "0", err) < 0)
		return -1;
	mnt_fd = fs_mount(fs_fd, fresh_attrs(m), err);
	if (mnt_fd < 0 || pid1_keep(b, mnt_fd, err) < 0 ||
		(hides && fs_change(mnt_fd, "hidepid", "ptraceable", "hide processes", err) < 0))
		return -1;
	return take_fd(&mnt_fd);
}

static int make_proc(struct builder *b, const struct plan_mount *m, struct sl_err *err)
{
	auto_fd int mnt_fd = mount_proc(b, m, err);

	if (mnt_fd >= 0 || err->code != EPERM || !proc_in_user_namespace())
		return take_fd(&mnt_fd);
	/* Read-only, because other processes of the same user have files in it that the workload
	 * could write (oom_score_adj). */
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

/* A tmpfs takes the mode of an existing mount point, as in runc. It becomes read-only at the end,
 * by its superblock (build.c), because mount points in it may still have to be created. */
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

int fresh_make(struct builder *b, const struct plan_mount *m, const struct place *place,
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
