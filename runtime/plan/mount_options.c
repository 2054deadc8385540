/* SPDX-License-Identifier: Apache-2.0
 *
 * One table with the meaning of each option. An unknown option is passed to the file system with
 * fsconfig(2), and if that fails the caller gets the error. A bind has no such options, so an
 * unknown option is refused.
 *
 * Two rules always hold. Everything except devpts is nodev, which replaces the device cgroup (the
 * nodes of /dev are separate binds). sysfs and the generated cgroup directory are read-only.
 */
#include "runtime/plan/mount_options.h"

#include <string.h>
#include <sys/mount.h>

enum option_does {
	DOES_SET, /* sets an attribute of the mount */
	DOES_CLEAR,
	DOES_ATIME,   /* sets one of the exclusive atime attributes */
	DOES_REC_SET, /* the same for all mounts of a bind */
	DOES_REC_CLEAR,
	DOES_REC_ATIME,
	DOES_PROPAGATION,
	DOES_BIND, /* value: recursive */
	DOES_COPY_UP,
	DOES_IDMAP,      /* value: recursive */
	DOES_SUPERBLOCK, /* a flag of the superblock, for fsconfig(2); ignored on a bind */
	DOES_REMOUNT,
	DOES_NOTHING,
};

struct option_row {
	const char *name;
	enum option_does does;
	uint64_t value;
};

static const struct option_row option_rows[] = {
	{ "acl", DOES_NOTHING, 0 },
	{ "async", DOES_SUPERBLOCK, 0 },
	{ "atime", DOES_ATIME, MOUNT_ATTR_RELATIME },
	{ "bind", DOES_BIND, false },
	{ "copyup", DOES_COPY_UP, 0 },
	{ "defaults", DOES_NOTHING, 0 },
	{ "dev", DOES_CLEAR, MOUNT_ATTR_NODEV },
	{ "diratime", DOES_CLEAR, MOUNT_ATTR_NODIRATIME },
	{ "dirsync", DOES_SUPERBLOCK, 0 },
	{ "exec", DOES_CLEAR, MOUNT_ATTR_NOEXEC },
	{ "idmap", DOES_IDMAP, false },
	{ "iversion", DOES_NOTHING, 0 },
	{ "lazytime", DOES_SUPERBLOCK, 0 },
	{ "loud", DOES_NOTHING, 0 },
	{ "mand", DOES_SUPERBLOCK, 0 },
	{ "noacl", DOES_NOTHING, 0 },
	{ "noatime", DOES_ATIME, MOUNT_ATTR_NOATIME },
	{ "nodev", DOES_SET, MOUNT_ATTR_NODEV },
	{ "nodiratime", DOES_SET, MOUNT_ATTR_NODIRATIME },
	{ "noexec", DOES_SET, MOUNT_ATTR_NOEXEC },
	{ "noiversion", DOES_NOTHING, 0 },
	{ "nolazytime", DOES_SUPERBLOCK, 0 },
	{ "nomand", DOES_SUPERBLOCK, 0 },
	{ "norelatime", DOES_ATIME, MOUNT_ATTR_RELATIME },
	{ "nostrictatime", DOES_ATIME, MOUNT_ATTR_RELATIME },
	{ "nosuid", DOES_SET, MOUNT_ATTR_NOSUID },
	{ "nosymfollow", DOES_SET, MOUNT_ATTR_NOSYMFOLLOW },
	{ "private", DOES_PROPAGATION, MS_PRIVATE },
	{ "ratime", DOES_REC_ATIME, MOUNT_ATTR_RELATIME },
	{ "rbind", DOES_BIND, true },
	{ "rdev", DOES_REC_CLEAR, MOUNT_ATTR_NODEV },
	{ "rdiratime", DOES_REC_CLEAR, MOUNT_ATTR_NODIRATIME },
	{ "relatime", DOES_ATIME, MOUNT_ATTR_RELATIME },
	{ "remount", DOES_REMOUNT, 0 },
	{ "rexec", DOES_REC_CLEAR, MOUNT_ATTR_NOEXEC },
	{ "ridmap", DOES_IDMAP, true },
	{ "rnoatime", DOES_REC_ATIME, MOUNT_ATTR_NOATIME },
	{ "rnodev", DOES_REC_SET, MOUNT_ATTR_NODEV },
	{ "rnodiratime", DOES_REC_SET, MOUNT_ATTR_NODIRATIME },
	{ "rnoexec", DOES_REC_SET, MOUNT_ATTR_NOEXEC },
	{ "rnorelatime", DOES_REC_ATIME, MOUNT_ATTR_RELATIME },
	{ "rnostrictatime", DOES_REC_ATIME, MOUNT_ATTR_RELATIME },
	{ "rnosuid", DOES_REC_SET, MOUNT_ATTR_NOSUID },
	{ "rnosymfollow", DOES_REC_SET, MOUNT_ATTR_NOSYMFOLLOW },
	{ "ro", DOES_SET, MOUNT_ATTR_RDONLY },
	{ "rprivate", DOES_PROPAGATION, MS_PRIVATE },
	{ "rrelatime", DOES_REC_ATIME, MOUNT_ATTR_RELATIME },
	{ "rro", DOES_REC_SET, MOUNT_ATTR_RDONLY },
	{ "rrw", DOES_REC_CLEAR, MOUNT_ATTR_RDONLY },
	{ "rshared", DOES_PROPAGATION, MS_SHARED },
	{ "rslave", DOES_PROPAGATION, MS_SLAVE },
	{ "rstrictatime", DOES_REC_ATIME, MOUNT_ATTR_STRICTATIME },
	{ "rsuid", DOES_REC_CLEAR, MOUNT_ATTR_NOSUID },
	{ "rsymfollow", DOES_REC_CLEAR, MOUNT_ATTR_NOSYMFOLLOW },
	{ "runbindable", DOES_PROPAGATION, MS_PRIVATE },
	{ "rw", DOES_CLEAR, MOUNT_ATTR_RDONLY },
	{ "shared", DOES_PROPAGATION, MS_SHARED },
	{ "silent", DOES_NOTHING, 0 },
	{ "slave", DOES_PROPAGATION, MS_SLAVE },
	{ "strictatime", DOES_ATIME, MOUNT_ATTR_STRICTATIME },
	{ "suid", DOES_CLEAR, MOUNT_ATTR_NOSUID },
	{ "symfollow", DOES_CLEAR, MOUNT_ATTR_NOSYMFOLLOW },
	{ "sync", DOES_SUPERBLOCK, 0 },
	{ "tmpcopyup", DOES_COPY_UP, 0 },
	{ "unbindable", DOES_PROPAGATION, MS_PRIVATE },
};

#define OPTION_ROWS (sizeof(option_rows) / sizeof(option_rows[0]))

static const struct {
	const char *type;
	enum plan_mount_kind kind;
} kind_rows[] = {
	{ "bind", PLAN_MOUNT_BIND },
	{ "rbind", PLAN_MOUNT_BIND },
	{ "tmpfs", PLAN_MOUNT_TMPFS },
	{ "proc", PLAN_MOUNT_PROC },
	{ "sysfs", PLAN_MOUNT_SYSFS },
	{ "devpts", PLAN_MOUNT_DEVPTS },
	{ "mqueue", PLAN_MOUNT_MQUEUE },
	{ "cgroup", PLAN_MOUNT_CGROUP },
	{ "cgroup2", PLAN_MOUNT_CGROUP },
	{ "overlay", PLAN_MOUNT_OVERLAY },
};

/* Callers leave these options of a tmpfs or of a template on binds, where the kernel has always
 * ignored them: mode and owner are those of the source. */
static const char *const bind_ignored[] = { "mode", "uid", "gid", "size", "nr_inodes" };

static const struct option_row *row_find(const char *name)
{
	size_t lo = 0, hi = OPTION_ROWS;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		int cmp = strcmp(name, option_rows[mid].name);

		if (cmp == 0)
			return &option_rows[mid];
		if (cmp < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

const char *mount_options_name(size_t i)
{
	return i < OPTION_ROWS ? option_rows[i].name : NULL;
}

/* The last option wins, as on a command line. */
static void attr_apply(uint64_t *set, uint64_t *clear, uint64_t attr, bool on)
{
	if (on) {
		*set |= attr;
		*clear &= ~attr;
	} else {
		*set &= ~attr;
		*clear |= attr;
	}
}

/* mount_setattr(2) requires that the whole group is cleared when one of its attributes is set. */
static void atime_apply(uint64_t *set, uint64_t *clear, uint64_t value)
{
	*set = (*set & ~(uint64_t)MOUNT_ATTR__ATIME) | value;
	*clear |= MOUNT_ATTR__ATIME;
}

static void data_add(struct arena *a, struct plan_mount *ret, const char *option)
{
	const char *eq = strchr(option, '=');
	struct key_value *kv = &ret->fs_options[ret->n_fs_options++];

	if (!eq) {
		kv->key = arena_strdup(a, option);
		kv->value = NULL;
		return;
	}
	kv->key = arena_strndup(a, option, (size_t)(eq - option));
	kv->value = arena_strdup(a, eq + 1);
}

static int option_apply(
	struct arena *a, const struct option_row *row, struct plan_mount *ret, struct sl_err *err)
{
	switch (row->does) {
	case DOES_SET:
	case DOES_CLEAR:
		attr_apply(&ret->attr_set, &ret->attr_clear, row->value, row->does == DOES_SET);
		break;
	case DOES_ATIME: atime_apply(&ret->attr_set, &ret->attr_clear, row->value); break;
	case DOES_REC_SET:
	case DOES_REC_CLEAR:
		attr_apply(&ret->attr_rec_set, &ret->attr_rec_clear, row->value,
			row->does == DOES_REC_SET);
		break;
	case DOES_REC_ATIME:
		atime_apply(&ret->attr_rec_set, &ret->attr_rec_clear, row->value);
		break;
	case DOES_PROPAGATION: ret->propagation = row->value; break;
	case DOES_BIND: ret->recursive = row->value; break;
	case DOES_COPY_UP:
		if (ret->kind != PLAN_MOUNT_TMPFS)
			return sl_err_set(err, 0, "option %s: only a tmpfs can copy up", row->name);
		ret->copy_up = true;
		break;
	case DOES_IDMAP:
		if (ret->kind != PLAN_MOUNT_BIND)
			return sl_err_set(
				err, 0, "option %s: only a bind can be idmapped", row->name);
		ret->idmap = true;
		ret->idmap_recursive = row->value;
		break;
	case DOES_SUPERBLOCK:
		if (ret->kind != PLAN_MOUNT_BIND)
			data_add(a, ret, row->name);
		break;
	case DOES_REMOUNT:
		/* On a bind the option only requests that the attributes are applied, which is
		 * always done. */
		if (ret->kind != PLAN_MOUNT_BIND)
			return sl_err_set(
				err, 0, "option remount: there is nothing to mount again");
		break;
	case DOES_NOTHING: break;
	}
	return 0;
}

static bool bind_ignores(const char *option)
{
	size_t len = strcspn(option, "=");

	for (size_t i = 0; i < sizeof(bind_ignored) / sizeof(bind_ignored[0]); i++)
		if (strlen(bind_ignored[i]) == len && memcmp(option, bind_ignored[i], len) == 0)
			return true;
	return false;
}

static int data_apply(
	struct arena *a, const char *option, struct plan_mount *ret, struct sl_err *err)
{
	switch (ret->kind) {
	case PLAN_MOUNT_BIND:
		if (bind_ignores(option))
			return 0;
		return sl_err_set(err, 0, "option %s: unknown, and a bind has no data", option);
	case PLAN_MOUNT_MQUEUE:
	case PLAN_MOUNT_CGROUP:
		return 0; /* options of a file system that is not mounted, such as nsdelegate */
	case PLAN_MOUNT_PROC:
		/* With gid= the kernel would show every process to members of that group. */
		if (strncmp(option, "gid=", 4) == 0)
			return sl_err_set(err, 0,
				"option %s: would show the host's processes to a group", option);
		if (strncmp(option, "hidepid=", 8) == 0)
			return 0; /* the strictest value is always set */
		break;
	case PLAN_MOUNT_TMPFS:
	case PLAN_MOUNT_SYSFS:
	case PLAN_MOUNT_DEVPTS:
	case PLAN_MOUNT_OVERLAY: break;
	}
	data_add(a, ret, option);
	return 0;
}

bool mount_kind_of(const char *type, enum plan_mount_kind *ret)
{
	for (size_t i = 0; i < sizeof(kind_rows) / sizeof(kind_rows[0]); i++) {
		if (strcmp(type, kind_rows[i].type) == 0) {
			*ret = kind_rows[i].kind;
			return true;
		}
	}
	return false;
}

static int kind_decide(const struct spec_mount *m, enum plan_mount_kind *ret, struct sl_err *err)
{
	const char *type = m->type ? m->type : "";

	for (size_t i = 0; i < m->n_options; i++) {
		if (strcmp(m->options[i], "bind") == 0 || strcmp(m->options[i], "rbind") == 0) {
			*ret = PLAN_MOUNT_BIND;
			return 0;
		}
	}
	if (mount_kind_of(type, ret))
		return 0;
	return sl_err_set(
		err, 0, "mount type \"%s\" cannot be honoured without a mount namespace", type);
}

/* Applies the rules that hold whatever the bundle asks for. */
static int invariants_apply(const struct spec_mount *m, struct plan_mount *ret, struct sl_err *err)
{
	if (ret->kind != PLAN_MOUNT_DEVPTS) {
		attr_apply(&ret->attr_set, &ret->attr_clear, MOUNT_ATTR_NODEV, true);
		attr_apply(&ret->attr_rec_set, &ret->attr_rec_clear, MOUNT_ATTR_NODEV, true);
	}
	if (ret->kind == PLAN_MOUNT_SYSFS || ret->kind == PLAN_MOUNT_CGROUP) {
		attr_apply(&ret->attr_set, &ret->attr_clear, MOUNT_ATTR_RDONLY, true);
		ret->attr_rec_clear &= ~(uint64_t)MOUNT_ATTR_RDONLY;
	}
	if (m->n_uid_mappings > 0 || m->n_gid_mappings > 0)
		ret->idmap = true;
	if (!ret->idmap)
		return 0;
	if (ret->kind != PLAN_MOUNT_BIND)
		return sl_err_set(err, 0, "uidMappings: only a bind can be idmapped");
	if (m->n_uid_mappings == 0 || m->n_gid_mappings == 0)
		return sl_err_set(err, 0,
			"idmap: both uidMappings and gidMappings are needed, there is no user "
			"namespace to take them from");
	return 0;
}

int mount_options_parse(
	struct arena *a, const struct spec_mount *m, struct plan_mount *ret, struct sl_err *err)
{
	struct plan_mount out = *ret;

	out.propagation = MS_PRIVATE;
	if (kind_decide(m, &out.kind, err) < 0)
		return -1;
	out.recursive = m->type && strcmp(m->type, "rbind") == 0;
	out.fs_options = arena_array(a, m->n_options + 1, sizeof(*out.fs_options));
	for (size_t i = 0; i < m->n_options; i++) {
		const struct option_row *row = row_find(m->options[i]);

		if (m->options[i][0] == '\0')
			continue;
		if (row ? option_apply(a, row, &out, err) < 0
			: data_apply(a, m->options[i], &out, err) < 0)
			return -1;
	}
	if (invariants_apply(m, &out, err) < 0)
		return -1;
	*ret = out;
	return 0;
}
