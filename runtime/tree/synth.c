/* SPDX-License-Identifier: Apache-2.0
 *
 * Files and directories that the runtime generates. They are on one small tmpfs per container,
 * which is made when it is first needed, and are cloned into the tree one by one.
 */
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

#include "runtime/base/io.h"
#include "runtime/tree/internal.h"

#define SYNTH_ATTRS (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)

/* Limits what the workload can store in its /dev/mqueue, the only directory here that it can
 * write. */
#define SYNTH_SIZE   "1m"
#define SYNTH_INODES "1024"
/* The limits if the tmpfs also holds bundles of certificates. */
#define SYNTH_SIZE_BUNDLES   "16m"
#define SYNTH_INODES_BUNDLES "8192"

static int synth_open(struct builder *b, struct sl_err *err)
{
	const bool bundles = b->ctx && b->ctx->n_bundles > 0;
	auto_fd int fs_fd = -1, mnt_fd = -1;

	if (b->synth_fd >= 0)
		return 0;
	fs_fd = fs_open("tmpfs", err);
	if (fs_fd < 0 || fs_set(fs_fd, "source", "sandlock", err) < 0 ||
		fs_set(fs_fd, "size", bundles ? SYNTH_SIZE_BUNDLES : SYNTH_SIZE, err) < 0 ||
		fs_set(fs_fd, "nr_inodes", bundles ? SYNTH_INODES_BUNDLES : SYNTH_INODES, err) <
			0 ||
		fs_set(fs_fd, "mode", "755", err) < 0)
		return -1;
	mnt_fd = fs_mount(fs_fd, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, err);
	if (mnt_fd < 0)
		return -1;
	/* Before Linux 6.15 a mount can be cloned only if it is attached somewhere. */
	if (b->stage_fd >= 0 &&
		(mkdirat(b->stage_fd, "synth", 0700) < 0 ||
			move_mount(mnt_fd, "", b->stage_fd, "synth", MOVE_MOUNT_F_EMPTY_PATH) < 0))
		return sl_err_set(err, errno, "stage the generated files");
	b->synth_fd = take_fd(&mnt_fd);
	return 0;
}

/* Before Linux 6.15 a mount can be cloned only if it is attached somewhere. On later kernels it is
 * attached because closing an unattached mount takes a grace period of the kernel; an attached one
 * disappears with the tmpfs. */
int synth_hang(struct builder *b, int mnt_fd, bool directory, const char *name, struct sl_err *err)
{
	int at_fd, made;

	if (synth_open(b, err) < 0)
		return -1;
	at_fd = b->stage_fd >= 0 ? b->stage_fd : b->synth_fd;
	made = directory ? mkdirat(at_fd, name, 0700) : mknodat(at_fd, name, S_IFREG | 0600, 0);
	if (made < 0 || move_mount(mnt_fd, "", at_fd, name, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return sl_err_set(err, errno, "stage %s", name);
	return 0;
}

int synth_directory(
	struct builder *b, const char *name, mode_t mode, uint64_t attrs, struct sl_err *err)
{
	if (synth_open(b, err) < 0)
		return -1;
	if (mkdirat(b->synth_fd, name, mode) < 0 && errno != EEXIST)
		return sl_err_set(err, errno, "generate %s", name);
	return mount_clone_one(b, b->synth_fd, name, attrs, err);
}

static int synth_write(
	int dir_fd, const char *name, const char *text, size_t len, struct sl_err *err)
{
	auto_fd int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0444);

	if (fd < 0 || io_write_all(fd, text, len) < 0)
		return sl_err_set(err, errno, "generate %s", name);
	return 0;
}

int synth_file(
	struct builder *b, const char *name, const char *text, size_t len, struct sl_err *err)
{
	if (synth_open(b, err) < 0 || synth_write(b->synth_fd, name, text, len, err) < 0)
		return -1;
	return mount_clone_one(b, b->synth_fd, name, SYNTH_ATTRS, err);
}

int synth_closed_file(struct builder *b, const char *name, struct sl_err *err)
{
	if (synth_open(b, err) < 0)
		return -1;
	if (mknodat(b->synth_fd, name, S_IFREG, 0) < 0 && errno != EEXIST)
		return sl_err_set(err, errno, "generate %s", name);
	return mount_clone_one(b, b->synth_fd, name, SYNTH_ATTRS, err);
}

int synth_link(struct builder *b, const char *name, const char *target, struct sl_err *err)
{
	if (synth_open(b, err) < 0)
		return -1;
	if (symlinkat(target, b->synth_fd, name) < 0 && errno != EEXIST)
		return sl_err_set(err, errno, "generate %s", name);
	return mount_clone_one(b, b->synth_fd, name, SYNTH_ATTRS, err);
}

int synth_node(struct builder *b, const char *name, const struct spec_device *d, uint64_t attrs,
	struct sl_err *err)
{
	const mode_t type = d->type == 'b' ? S_IFBLK : S_IFCHR;
	const mode_t mode = d->has_mode ? d->mode & 07777 : 0666;

	if (synth_open(b, err) < 0)
		return -1;
	if ((mknodat(b->synth_fd, name, type | mode,
		     makedev((unsigned int)d->major, (unsigned int)d->minor)) < 0 &&
		    errno != EEXIST) ||
		fchownat(b->synth_fd, name, d->uid, d->gid, AT_SYMLINK_NOFOLLOW) < 0)
		return sl_err_set(err, errno, "make a node %c %lld:%lld", d->type,
			(long long)d->major, (long long)d->minor);
	return mount_clone_one(b, b->synth_fd, name, attrs, err);
}

/* The files are described in Documentation/admin-guide/cgroup-v2.rst. */
struct cgroup_file {
	const char *name;
	char text[128];
	bool changes; /* with the container, so that it is written again */
};

static void limit_text(char *out, size_t size, bool limited, uint64_t value)
{
	if (limited)
		snprintf(out, size, "%llu\n", (unsigned long long)value);
	else
		snprintf(out, size, "max\n");
}

/* Maps 2…262144 shares to the weights 1…10000, as all runtimes do. */
static uint64_t weight_of(const struct spec_resources *r)
{
	uint64_t shares = r->cpu_shares;

	if (!r->has_cpu_shares || shares == 0)
		return 100;
	if (shares < 2)
		shares = 2;
	if (shares > 262144)
		shares = 262144;
	return 1 + (shares - 2) * 9999 / 262142;
}

/* Prints the CPUs of the container, or else those of this process, in the list format of
 * cpuset(7). */
static void usable_cpus(const cpu_set_t *own, char *out, size_t size)
{
	cpu_set_t set;
	size_t len = 0;

	CPU_ZERO(&set);
	if (own)
		set = *own;
	else if (sched_getaffinity(0, sizeof(set), &set) < 0)
		CPU_SET(0, &set);
	for (int cpu = 0; cpu < CPU_SETSIZE && len + 16 < size; cpu++) {
		int first = cpu;

		if (!CPU_ISSET(cpu, &set))
			continue;
		while (cpu + 1 < CPU_SETSIZE && CPU_ISSET(cpu + 1, &set))
			cpu++;
		len += (size_t)snprintf(out + len, size - len, "%s%d", len ? "," : "", first);
		if (cpu > first)
			len += (size_t)snprintf(out + len, size - len, "-%d", cpu);
	}
	snprintf(out + len, size - len, "\n");
}

/* memory.swap.max is the swap in addition to the memory limit; the OCI spec gives the sum of
 * both. */
static void swap_text(char *out, size_t size, const struct spec_resources *r)
{
	bool limited = r->has_memory_swap && r->memory_swap >= 0 && r->has_memory_limit &&
		       r->memory_limit > 0 && r->memory_swap >= r->memory_limit;

	limit_text(out, size, limited, limited ? (uint64_t)(r->memory_swap - r->memory_limit) : 0);
}

/* Most of the cost is a page and an inode for each file, so files with equal content share one
 * inode. */
static int cgroup_write(
	int dir_fd, bool changes, const struct cgroup_file *files, size_t n, struct sl_err *err)
{
	for (size_t i = 0; i < n; i++) {
		size_t same = changes && files[i].changes ? i : 0;

		while (same < i && (strcmp(files[same].text, files[i].text) != 0 ||
					   (changes && files[same].changes)))
			same++;
		if (same < i) {
			if (linkat(dir_fd, files[same].name, dir_fd, files[i].name, 0) < 0 &&
				errno != EEXIST)
				return sl_err_set(err, errno, "generate %s", files[i].name);
		} else if (synth_write(dir_fd, files[i].name, files[i].text, strlen(files[i].text),
				   err) < 0) {
			return -1;
		}
	}
	return 0;
}

static int cgroup_fill(const struct builder *b, int dir_fd, struct sl_err *err)
{
	static const struct spec_resources unlimited;
	const struct spec_resources *r = b->fs->resources ? b->fs->resources : &unlimited;
	const cpu_set_t *cpus = b->ctx ? b->ctx->cpus : NULL;
	struct cgroup_file files[] = {
		{ "cgroup.controllers", "cpuset cpu memory pids\n", false },
		{ "memory.current", "0\n", true },
		{ "pids.current", "1\n", true },
		{ "memory.max", "", true },
		{ "memory.swap.max", "", false },
		{ "pids.max", "", true },
		{ "cpu.max", "", true },
		{ "cpu.weight", "", false },
		{ "cpuset.cpus.effective", "", true },
	};
	struct cgroup_file *computed = &files[3];
	unsigned long long period = r->has_cpu_period && r->cpu_period ? r->cpu_period : 100000;
	size_t size = sizeof(computed->text);

	limit_text(computed[0].text, size, r->has_memory_limit && r->memory_limit > 0,
		(uint64_t)r->memory_limit);
	swap_text(computed[1].text, size, r);
	limit_text(computed[2].text, size, r->has_pids_limit && r->pids_limit > 0,
		(uint64_t)r->pids_limit);
	if (r->has_cpu_quota && r->cpu_quota > 0)
		snprintf(computed[3].text, size, "%lld %llu\n", (long long)r->cpu_quota, period);
	else
		snprintf(computed[3].text, size, "max %llu\n", period);
	snprintf(computed[4].text, size, "%llu\n", (unsigned long long)weight_of(r));
	if (!cpus && r->cpus && r->cpus[0])
		snprintf(computed[5].text, size, "%s\n", r->cpus);
	else
		usable_cpus(cpus, computed[5].text, size);
	return cgroup_write(
		dir_fd, b->fs->size_cgroup, files, sizeof(files) / sizeof(files[0]), err);
}

/* Creates one mount point and its parent directories. */
static int make_point(int dir_fd, const char *path, bool directory, struct sl_err *err)
{
	auto_fd int at = fcntl(dir_fd, F_DUPFD_CLOEXEC, 0);
	char name[NAME_MAX + 1];

	for (;;) {
		size_t len = strcspn(path, "/");
		bool last = path[len] == '\0';
		int fd;

		if (at < 0 || len >= sizeof(name))
			return sl_err_set(err, at < 0 ? errno : ENAMETOOLONG, "generate %s", path);
		memcpy(name, path, len);
		name[len] = '\0';
		if ((last && !directory ? mknodat(at, name, S_IFREG | 0444, 0)
					: mkdirat(at, name, 0755)) < 0 &&
			errno != EEXIST)
			return sl_err_set(err, errno, "generate the mount point %s", name);
		if (last)
			return 0;
		fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(at);
		at = fd;
		path += len + 1;
	}
}

static int make_points(const struct plan_fs *fs, int dir_fd, const char *at, struct sl_err *err)
{
	const size_t len = strlen(at);

	for (size_t i = 0; i < fs->n_mounts; i++) {
		const struct plan_mount *m = &fs->mounts[i];
		struct stat st;

		if (strncmp(m->destination, at, len) != 0 || m->destination[len] != '/')
			continue;
		if (make_point(dir_fd, m->destination + len + 1,
			    m->kind != PLAN_MOUNT_BIND || stat(m->source, &st) < 0 ||
				    S_ISDIR(st.st_mode),
			    err) < 0)
			return -1;
	}
	return 0;
}

int synth_cgroup(struct builder *b, const char *at, uint64_t attrs, struct sl_err *err)
{
	auto_fd int dir_fd = -1;

	if (synth_open(b, err) < 0)
		return -1;
	if (mkdirat(b->synth_fd, TREE_CGROUP, 0755) < 0 && errno != EEXIST)
		return sl_err_set(err, errno, "generate cgroup");
	dir_fd = openat(b->synth_fd, TREE_CGROUP, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return sl_err_set(err, errno, "generate cgroup");
	if (cgroup_fill(b, dir_fd, err) < 0 || make_points(b->fs, dir_fd, at, err) < 0)
		return -1;
	return mount_clone_one(b, b->synth_fd, TREE_CGROUP, attrs | MOUNT_ATTR_RDONLY, err);
}

/* Covers a file only if it exists and is a regular file. */
static int cover_file(struct builder *b, const char *path, const char *name, const char *value,
	struct sl_err *err)
{
	auto_fd int fd = -1, mnt_fd = -1;
	struct joined book = { 0 };
	struct place place;
	struct statx st;
	char text[256];
	int len = snprintf(text, sizeof(text), "%s\n", value);

	if (len < 0 || (size_t)len >= sizeof(text))
		return sl_err_set(err, ENAMETOOLONG, "%s", name);
	if (place_find(b->a, b->root_fd, path, &place, err) < 0)
		return err->code == ENOENT || err->code == ENOTDIR || err->code == ELOOP ? 0 : -1;
	fd = place.fd;
	book.path = place.path;
	if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &st) < 0)
		return sl_err_set(err, errno, "%s", path);
	if (!S_ISREG(st.stx_mode))
		return 0;
	mnt_fd = synth_file(b, name, text, (size_t)len, err);
	return mnt_fd < 0 ? -1 : mount_join(b, mnt_fd, fd, "", &book, err);
}

bool synth_is_mounted(const struct plan_fs *fs, const char *path)
{
	for (size_t i = 0; i < fs->n_mounts; i++)
		if (strcmp(fs->mounts[i].destination, path) == 0)
			return true;
	return false;
}

/* Covers the files that contain the host and domain name. The supervisor answers uname(2). */
int synth_identity(struct builder *b, struct sl_err *err)
{
	const struct plan_fs *fs = b->fs;
	struct utsname host;

	if (!fs->hostname && !fs->domainname)
		return 0;
	if (uname(&host) < 0)
		return sl_err_set(err, errno, "uname");
	if (fs->hostname && strcmp(fs->hostname, host.nodename) != 0) {
		if (cover_file(b, "/proc/sys/kernel/hostname", "hostname", fs->hostname, err) < 0)
			return -1;
		if (!synth_is_mounted(fs, "/etc/hostname") &&
			cover_file(b, "/etc/hostname", "hostname", fs->hostname, err) < 0)
			return -1;
	}
	if (fs->domainname && strcmp(fs->domainname, host.domainname) != 0)
		return cover_file(
			b, "/proc/sys/kernel/domainname", "domainname", fs->domainname, err);
	return 0;
}

/* The file of a key; dots and slashes are exchanged as in sysctl(8). Returns NULL if the key would
 * lead outside the directory. */
static const char *sysctl_path(struct builder *b, const char *key)
{
	char *path = arena_printf(b->a, "/proc/sys/%s", key);

	if (key[0] == '.' || strchr(key, '/') || strstr(key, ".."))
		return NULL;
	for (char *p = path; *p; p++)
		if (*p == '.')
			*p = '/';
	return path;
}

/* A program that reads its setting finds the value. The kernel continues with the host's value,
 * because there is no namespace that could have another one (spec/support.def). */
int synth_sysctls(struct builder *b, struct sl_err *err)
{
	for (size_t i = 0; i < b->fs->n_sysctls; i++) {
		const struct key_value *kv = &b->fs->sysctls[i];
		const char *path = sysctl_path(b, kv->key);

		if (!path)
			return sl_err_set(err, 0, "linux.sysctl: \"%s\" is no setting", kv->key);
		if (cover_file(b, path, arena_printf(b->a, "sysctl-%zu", i), kv->value, err) < 0)
			return sl_err_wrap(err, "linux.sysctl: %s", kv->key);
	}
	return 0;
}
