/* SPDX-License-Identifier: Apache-2.0
 *
 * The child reports an error over the sync socket and exits. The order of the steps is that of
 * runc where programs can see it: stdio, then session and signals, then the working directory,
 * then user and capabilities, then execve.
 */
#include "runtime/init/spawn.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/confine/identity.h"
#include "runtime/init/lookup.h"
#include "runtime/init/proto.h"
#include "runtime/plan/process.h"

/* The exit status if execve was never reached or has failed; a shell uses the same. */
#define EXIT_NOT_EXECUTED 127

struct child {
	const struct plan_process *plan;
	int sync_fd;
	bool is_main;
	bool installs_profile; /* false: there is no profile, or it is inherited */
	bool installs_early;   /* before the capabilities for it are given up */
	char **env;
	char **args;
	const char *file;
};

static _Noreturn void fail_child(int sync_fd, const struct sl_err *err)
{
	struct sync_msg m = { .type = SYNC_FAILED };

	m.err = *err;
	(void)!write(sync_fd, &m, sizeof(m));
	_exit(EXIT_NOT_EXECUTED);
}

/* Places the descriptors: 0, 1, 2, the preserved ones from 3, then blob and sync, which are
 * close-on-exec. Closes all others. First it duplicates each to a number above all targets, so
 * that no target overwrites a source. */
static int place_fds(const int *fds, size_t n, int *ret_blob_fd, int *ret_sync_fd)
{
	size_t kept = n - SPAWN_FD_STDIN;
	int base = (int)n, moved[SPAWN_FDS + IO_MAX_FDS] = { 0 };

	for (size_t i = 0; i < n; i++) {
		moved[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, base);
		if (moved[i] < 0)
			return -1;
	}
	for (size_t i = 0; i < kept; i++)
		if (dup2(moved[SPAWN_FD_STDIN + i], (int)i) < 0)
			return -1;
	*ret_blob_fd = (int)kept;
	*ret_sync_fd = (int)kept + 1;
	if (dup3(moved[SPAWN_FD_BLOB], *ret_blob_fd, O_CLOEXEC) < 0 ||
		dup3(moved[SPAWN_FD_SYNC], *ret_sync_fd, O_CLOEXEC) < 0)
		return -1;
	return close_range((unsigned int)kept + 2, ~0U, 0);
}

/* A directory as stdio would be a way out of the tree (fchdir(2)). */
static int check_stdio(struct sl_err *err)
{
	for (int fd = 0; fd <= 2; fd++) {
		struct stat st;
		int flags;

		if (fstat(fd, &st) < 0)
			return sl_err_set(err, errno, "stdio %d", fd);
		flags = fcntl(fd, F_GETFL);
		if (flags < 0)
			return sl_err_set(err, errno, "stdio %d", fd);
		if (S_ISDIR(st.st_mode) || (flags & O_PATH))
			return sl_err_set(err, EISDIR, "stdio %d", fd);
	}
	return 0;
}

/* init has already reset the dispositions (init.c). */
static void unblock_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Gives stdio to the user, who can then open /dev/stdout again (runc does the same). Devices
 * belong to the host and stay as they are. It is no error if the file system refuses. */
static void own_stdio(uid_t uid)
{
	for (int fd = 0; fd <= 2; fd++) {
		struct stat st;

		if (fstat(fd, &st) == 0 && !S_ISCHR(st.st_mode) && !S_ISBLK(st.st_mode) &&
			st.st_uid != uid)
			(void)!fchown(fd, uid, (gid_t)-1);
	}
}

static int install_profile(const struct plan_process *p)
{
	struct sock_fprog prog = {
		.len = (unsigned short)p->n_profile,
		.filter = (struct sock_filter *)plan_process_profile(p),
	};

	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, p->profile_flags, &prog);
}

/* Tries with the runtime's rights first, so that an image's WORKDIR /root works for another user
 * as well. Root may not enter every directory (NFS, or a directory of the user when the bundle
 * leaves root no capabilities); then the user tries (runc does the same). */
static int enter_cwd_early(const char *cwd, bool *ret_there, struct sl_err *err)
{
	*ret_there = chdir(cwd) == 0;
	if (!*ret_there && errno != EPERM && errno != EACCES)
		return sl_err_set(err, 0, "chdir to cwd (\"%s\") set in config.json failed: %s",
			cwd, lookup_reason(errno));
	return 0;
}

static int enter_cwd(const char *cwd, bool there, struct sl_err *err)
{
	char now[4096];

	if (!there && chdir(cwd) < 0)
		return sl_err_set(err, 0, "chdir to cwd (\"%s\") set in config.json failed: %s",
			cwd, lookup_reason(errno));
	/* The kernel prefixes the path of a directory outside of the root (CVE-2024-21626). */
	if (!getcwd(now, sizeof(now)))
		return sl_err_set(err, errno,
			"current working directory is outside of container "
			"mount namespace root -- possible container breakout");
	if (now[0] != '/')
		return sl_err_set(err, 0,
			"current working directory is outside of container mount "
			"namespace root -- possible container breakout");
	return 0;
}

static int write_label(const struct plan_process *p, struct sl_err *err)
{
	const char *label = plan_process_string(p, p->label_off);
	const char *file = plan_process_string(p, p->label_file_off);
	auto_fd int fd = -1;

	if (!label)
		return 0;
	fd = open(file, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || io_write_all(fd, label, strlen(label)) < 0)
		return sl_err_set(err, errno, "set the security label: write %s", file);
	return 0;
}

/* A profile is installed here only if it refuses a call that preparing needs (confine/needs.h).
 * It is installed as late as possible: with no_new_privs right before execve; without it before
 * CAP_SYS_ADMIN is given up, which therefore stays until everything else is done. */
static void plan_profile(struct child *c, bool inherited)
{
	c->installs_profile = c->plan->n_profile && !inherited;
	c->installs_early = c->installs_profile && !c->plan->no_new_privs &&
			    prctl(PR_GET_NO_NEW_PRIVS, 0L, 0L, 0L, 0L) != 1;
}

static int install_early_profile(const struct plan_process *p, struct sl_err *err)
{
	if (install_profile(p) < 0)
		return sl_err_set(err, errno, "linux.seccomp: install the profile");
	if (identity_lower_caps(&p->caps) < 0)
		return sl_err_set(err, errno, "set capabilities under the profile");
	return 0;
}

static int become_user(const struct child *c, struct sl_err *err)
{
	const struct plan_process *p = c->plan;
	const uint64_t extra = c->installs_early ? 1ULL << CAP_SYS_ADMIN : 0;
	struct spec_caps caps = p->caps;
	const struct identity id = {
		.uid = p->uid,
		.gid = p->gid,
		.groups = (const gid_t *)(const void *)((const char *)p + p->groups_off),
		.n_groups = p->n_groups,
		.caps = &caps,
	};

	caps.permitted |= extra;
	caps.effective |= extra;
	if (identity_become(&id) < 0)
		return sl_err_set(err, errno, "set user %u:%u and capabilities", p->uid, p->gid);
	/* Changing the user has set the dumpable flag as suid_dumpable says. Until execve no
	 * other process may trace this one. */
	if (prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L) < 0)
		return sl_err_set(err, errno, "shut the process to others");
	return 0;
}

static int take_terminal(const struct plan_process *p, struct sl_err *err)
{
	if (setsid() < 0)
		return sl_err_set(err, errno, "setsid");
	if (p->terminal && ioctl(0, TIOCSCTTY, 0) < 0)
		return sl_err_set(err, errno, "set the controlling terminal");
	return 0;
}

/* Sends a message and waits for GO. If the supervisor is gone, the child exits. It uses read(2)
 * and write(2), because a profile that refuses socket calls may already be installed. */
static void say_and_wait(int sync_fd, enum sync_type what)
{
	struct sync_msg m = { .type = what };
	ssize_t r;

	if (write(sync_fd, &m, sizeof(m)) < 0)
		_exit(EXIT_NOT_EXECUTED);
	do
		r = read(sync_fd, &m, sizeof(m));
	while (r < 0 && errno == EINTR);
	if (r < 0) {
		struct sl_err err;

		/* Exiting silently would look like the end of file after a successful execve. */
		sl_err_set(&err, errno, "wait to be let go");
		fail_child(sync_fd, &err);
	}
	if (r != (ssize_t)sizeof(m) || m.type != SYNC_GO)
		_exit(EXIT_NOT_EXECUTED);
}

static int prepare_child(struct child *c, struct sl_err *err)
{
	const struct plan_process *p = c->plan;
	const char *cwd = plan_process_string(p, p->cwd_off);
	bool there;

	if (check_stdio(err) < 0)
		return -1;
	unblock_signals();
	if (c->is_main && prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L) < 0)
		return sl_err_set(err, errno, "become the reaper of orphans");
	umask(p->umask);
	if (take_terminal(p, err) < 0)
		return -1;
	own_stdio(p->uid);
	say_and_wait(c->sync_fd, SYNC_SETUP);
	if (enter_cwd_early(cwd, &there, err) < 0)
		return -1;
	if (become_user(c, err) < 0)
		return -1;
	if (enter_cwd(cwd, there, err) < 0)
		return -1;
	if (write_label(p, err) < 0)
		return -1;
	if (lookup_program(p, &c->args, &c->env, &c->file, err) < 0)
		return -1;
	return c->installs_early ? install_early_profile(p, err) : 0;
}

static int execute(const struct child *c, struct sl_err *err)
{
	const struct plan_process *p = c->plan;

	if (p->no_new_privs && prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) < 0)
		return sl_err_set(err, errno, "no_new_privs");
	if (c->installs_profile && !c->installs_early && install_profile(p) < 0)
		return sl_err_set(err, errno, "linux.seccomp: install the profile");
	execve(c->file, c->args, c->env);
	return sl_err_set(err, 0, "exec %s: %s", c->file, lookup_reason(errno));
}

static _Noreturn void spawn_child(const int *fds, size_t n_fds, bool is_main, bool has_profile)
{
	struct child c = { .is_main = is_main };
	struct sl_err err;
	int blob_fd;

	if (place_fds(fds, n_fds, &blob_fd, &c.sync_fd) < 0) {
		sl_err_set(&err, errno, "place the descriptors");
		fail_child(fds[SPAWN_FD_SYNC], &err);
	}
	if (plan_process_map(blob_fd, &c.plan, &err) < 0)
		fail_child(c.sync_fd, &err);
	plan_profile(&c, has_profile);
	if (prepare_child(&c, &err) < 0)
		fail_child(c.sync_fd, &err);
	close(blob_fd);
	say_and_wait(c.sync_fd, SYNC_PARKED);
	execute(&c, &err);
	fail_child(c.sync_fd, &err);
}

int spawn_fork(const int *fds, size_t n_fds, bool is_main, bool has_profile, pid_t *ret_pid,
	struct sl_err *err)
{
	pid_t pid = fork();

	if (pid < 0)
		return sl_err_set(err, errno, "fork");
	if (pid == 0)
		spawn_child(fds, n_fds, is_main, has_profile);
	*ret_pid = pid;
	return 0;
}
