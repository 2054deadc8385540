/* SPDX-License-Identifier: Apache-2.0
 *
 * A temporary root with a static busybox, a tree built over it from rows of OCI mounts, and
 * a child inside the tree. The tests of this room need root.
 */
#ifndef SANDLOCK_TESTS_UNIT_TREE_FIXTURE_H
#define SANDLOCK_TESTS_UNIT_TREE_FIXTURE_H

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/base/proc.h"
#include "runtime/tree/tree.h"
#include "tests/unit/check.h"

struct fixture {
	struct arena *a;
	char dir[64]; /* the bundle: rootfs below it */
	struct spec spec;
	struct node_policy node;
	struct spec_mount mounts[32];
	struct tree_context ctx;
	bool net_view;
	struct plan_fs fs;
	struct tree tree;
	struct sl_err err;
};

static inline void fx_run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static inline void fx_run(const char *fmt, ...)
{
	char cmd[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	if (system(cmd) != 0) {
		printf("Bail out! %s\n", cmd);
		exit(1);
	}
}

static inline void fx_begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->a = arena_new();
	f->ctx.loose_fd = -1;
	strcpy(f->dir, "/tmp/sandlock-tree-XXXXXX");
	if (!mkdtemp(f->dir))
		exit(1);
	fx_run("mkdir -p %s/rootfs/bin && cp /bin/busybox %s/rootfs/bin/busybox && "
	       "ln -s busybox %s/rootfs/bin/sh",
		f->dir, f->dir, f->dir);
	f->spec.root_path = arena_strdup(f->a, "rootfs");
	f->spec.mounts = f->mounts;
	f->spec.linux_.set = true;
	f->tree.root_fd = -1;
	f->tree.console_fd = -1;
}

/* options: separated by blanks. */
static inline struct spec_mount *fx_mount(struct fixture *f, const char *destination,
	const char *type, const char *source, const char *options)
{
	struct spec_mount *m = &f->mounts[f->spec.n_mounts++];
	char *list = arena_strdup(f->a, options), *word;

	memset(m, 0, sizeof(*m));
	m->destination = arena_strdup(f->a, destination);
	m->type = arena_strdup(f->a, type);
	m->source = source ? arena_strdup(f->a, source) : NULL;
	m->options = arena_array(f->a, 32, sizeof(char *));
	while ((word = strsep(&list, " ")) != NULL)
		if (*word)
			m->options[m->n_options++] = word;
	return m;
}

/* The mounts that containerd writes by default. */
static inline void fx_default_mounts(struct fixture *f)
{
	fx_mount(f, "/proc", "proc", "proc", "nosuid noexec nodev");
	fx_mount(f, "/dev", "tmpfs", "tmpfs", "nosuid strictatime mode=755 size=65536k");
	fx_mount(f, "/dev/pts", "devpts", "devpts",
		"nosuid noexec newinstance ptmxmode=0666 mode=0620 gid=5");
	fx_mount(f, "/dev/shm", "tmpfs", "shm", "nosuid noexec nodev mode=1777 size=65536k");
	fx_mount(f, "/dev/mqueue", "mqueue", "mqueue", "nosuid noexec nodev");
	fx_mount(f, "/sys", "sysfs", "sysfs", "nosuid noexec nodev ro");
	fx_mount(f, "/run", "tmpfs", "tmpfs", "nosuid strictatime mode=755 size=65536k");
	fx_mount(f, "/sys/fs/cgroup", "cgroup", "cgroup", "nosuid noexec nodev relatime ro");
}

static inline void fx_default_masks(struct fixture *f)
{
	static const char *const masked[] = { "/proc/acpi", "/proc/asound", "/proc/kcore",
		"/proc/keys", "/proc/latency_stats", "/proc/timer_list", "/proc/timer_stats",
		"/proc/sched_debug", "/sys/firmware", "/proc/scsi" };
	static const char *const readonly[] = { "/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys",
		"/proc/sysrq-trigger" };

	f->spec.linux_.masked_paths = (char **)masked;
	f->spec.linux_.n_masked_paths = sizeof(masked) / sizeof(masked[0]);
	f->spec.linux_.readonly_paths = (char **)readonly;
	f->spec.linux_.n_readonly_paths = sizeof(readonly) / sizeof(readonly[0]);
}

static inline int fx_build(struct fixture *f)
{
	memset(&f->err, 0, sizeof(f->err));

	int r = plan_fs_build(f->a, &f->spec, &f->node, f->dir, &f->fs, &f->err);

	f->fs.net_view = f->net_view;
	if (r < 0 || tree_build(f->a, &f->fs, &f->ctx, &f->tree, &f->err) < 0) {
		printf("# %s\n", f->err.msg);
		return -1;
	}
	return 0;
}

static inline void fx_drop(struct fixture *f)
{
	drop_fd(&f->tree.root_fd);
	drop_fd(&f->tree.console_fd);
}

static inline void fx_end(struct fixture *f)
{
	fx_drop(f);
	fx_run("rm -rf --one-file-system %s", f->dir);
	arena_free(f->a);
}

/* Runs fn in a child whose root is the tree; the child's exit status is the result. */
static inline int fx_inside(struct fixture *f, int (*fn)(void *arg), void *arg)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (fchdir(f->tree.root_fd) < 0 || chroot(".") < 0)
			_exit(255);
		_exit(fn(arg));
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline int fx_shell_(void *arg)
{
	execl("/bin/busybox", "sh", "-c", (char *)arg, (char *)NULL);
	return 127;
}

/* Exit status of a shell script inside the tree. */
static inline int fx_shell(struct fixture *f, const char *script)
{
	int r = fx_inside(f, fx_shell_, (void *)script);

	if (r != 0)
		printf("# %d from: %s\n", r, script);
	return r;
}

/* errno of open(2) inside the tree, 0 when it works. */
struct fx_open {
	const char *path;
	int flags;
};

static inline int fx_open_(void *arg)
{
	struct fx_open *o = arg;

	return open(o->path, o->flags | O_CLOEXEC | O_NOCTTY, 0600) < 0 ? errno : 0;
}

static inline int fx_open(struct fixture *f, const char *path, int flags)
{
	struct fx_open o = { path, flags };

	return fx_inside(f, fx_open_, &o);
}

/* The host's mount table: must be the same before and after. */
static inline char *fx_mount_table(struct fixture *f)
{
	char *text = NULL;
	size_t len;

	if (io_read_file(f->a, AT_FDCWD, "/proc/self/mountinfo", 1 << 24, &text, &len, &f->err) < 0)
		exit(1);
	return text;
}

#endif
