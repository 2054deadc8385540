/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/view.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/base/proc.h"

/* The variable that says so, with the state root. Whoever sets it by hand gets a state root that is
 * checked all the same. */
#define ENTERED "_SANDLOCK_ENTERED"

static const struct {
	const char *name;
	const char *why;
} views[] = {
	[VIEW_TREE] = { "tree",
		"this process may mount (CAP_SYS_ADMIN): a detached tree, without a "
		"namespace" },
	[VIEW_USERNS] = { "userns",
		"this process may not mount: the same tree in a user and a mount namespace of its "
		"own" },
};

const char *view_name(enum view v)
{
	return views[v].name;
}

static bool may_mount(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct now[2];

	return syscall(SYS_capget, &head, now) == 0 && (now[0].effective & 1U << CAP_SYS_ADMIN);
}

int view_choose(const char *word, struct view_choice *ret, struct sl_err *err)
{
	const bool any = !word || strcmp(word, "auto") == 0;
	enum view v;

	if (any)
		v = may_mount() ? VIEW_TREE : VIEW_USERNS;
	else if (strcmp(word, "tree") == 0)
		v = VIEW_TREE;
	else if (strcmp(word, "userns") == 0)
		v = VIEW_USERNS;
	else
		return sl_err_set(err, 0, "--view %s: expected auto, tree or userns", word);
	if (v == VIEW_TREE && !may_mount())
		return sl_err_set(err, 0,
			"--view tree: this process may not mount (CAP_SYS_ADMIN); --view userns "
			"needs no rights");
	*ret = (struct view_choice){ v, any ? views[v].why : "--view asks for it" };
	return 0;
}

static int write_own(const char *path, const char *text)
{
	auto_fd int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -1 : io_write_all(fd, text, strlen(text));
}

static int write_map(const char *path, unsigned int inside, unsigned int outside)
{
	char text[64];

	snprintf(text, sizeof(text), "%u %u 1\n", inside, outside);
	return write_own(path, text);
}

static int refused(int code, struct sl_err *err)
{
	return sl_err_set(err, code,
		"view userns: make a user namespace (user.max_user_namespaces, "
		"kernel.unprivileged_userns_clone and "
		"kernel.apparmor_restrict_unprivileged_userns of sysctl can refuse it, and so does "
		"the kernel inside a chroot)");
}

static int try_tree(struct sl_err *err)
{
	return may_mount() ? 0 : sl_err_set(err, 0, "this process may not mount (CAP_SYS_ADMIN)");
}

/* In a child, because there is no way back. */
static int try_userns(struct sl_err *err)
{
	const pid_t pid = fork();
	int status;

	if (pid < 0)
		return sl_err_set(err, errno, "fork");
	if (pid == 0)
		_exit(unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0 ? errno : 0);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return sl_err_set(err, errno, "wait for a child");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return refused(WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD, err);
}

int view_try(enum view v, struct sl_err *err)
{
	return v == VIEW_TREE ? try_tree(err) : try_userns(err);
}

/* Without this a process that is not privileged may not write gid_map. */
static int map_ids(const struct view_entry *entry, uid_t own_uid, gid_t own_gid)
{
	return write_own("/proc/self/setgroups", "deny") < 0 ||
			       write_map("/proc/self/uid_map", entry->uid, own_uid) < 0 ||
			       write_map("/proc/self/gid_map", entry->gid, own_gid) < 0
		       ? -1
		       : 0;
}

/* Only root keeps its capabilities over execve(2) without this (capabilities(7), "Ambient"). */
static int keep_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct now[2];

	if (syscall(SYS_capget, &head, now) < 0)
		return -1;
	for (int i = 0; i < 2; i++)
		now[i].inheritable = now[i].permitted;
	if (syscall(SYS_capset, &head, now) < 0)
		return -1;
	for (unsigned int cap = 0; cap < 64; cap++)
		if ((now[cap / 32].permitted & 1U << cap % 32) &&
			prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, (unsigned long)cap, 0L, 0L) < 0)
			return -1;
	return 0;
}

int view_enter(enum view v, const struct view_entry *entry, char *const *argv, struct sl_err *err)
{
	const uid_t own_uid = geteuid();
	const gid_t own_gid = getegid();

	if (v != VIEW_USERNS)
		return 0;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return refused(errno, err);
	if (map_ids(entry, own_uid, own_gid) < 0)
		return sl_err_set(
			err, errno, "view userns: map user %u and group %u", own_uid, own_gid);
	if (keep_capabilities() < 0 || setenv(ENTERED, entry->state_root, 1) < 0)
		return sl_err_set(err, errno, "view userns: prepare to execute this program again");
	execv("/proc/self/exe", argv);
	return sl_err_set(err, errno, "view userns: execute this program again");
}

bool view_is_entered(const char **ret_state_root)
{
	const char *root = getenv(ENTERED);

	if (!root || !may_mount() || !proc_in_user_namespace())
		return false;
	*ret_state_root = strdup(root);
	return *ret_state_root && unsetenv(ENTERED) == 0;
}
