/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/proctitle.h"
#include "shim/sandbox/sandbox.h"

/* Below net a setting belongs to the network namespace of who writes it (proc(5)). The others would
 * be those of namespaces that the containers do not have. */
static int pod_set_sysctl(const char *key, const char *value, struct sl_err *err)
{
	char path[PATH_MAX];
	const int n = snprintf(path, sizeof(path), "/proc/sys/%s", key);
	auto_fd int fd = -1;

	for (char *dot = path; (dot = strchr(dot, '.'));)
		*dot = '/';
	if (strncmp(path, "/proc/sys/net/", 14) != 0 || n >= (int)sizeof(path))
		return sl_err_set(err, 0,
			"sysctl %s: a pod without a pause container has none of its own there; "
			"accepted: net.*",
			key);
	fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || write(fd, value, strlen(value)) != (ssize_t)strlen(value))
		return sl_err_set(err, errno, "sysctl %s", key);
	return 0;
}

static int pod_set_sysctls(int netns_fd, const Sandbox__LinuxConfig *c, struct sl_err *err)
{
	const size_t n = c ? c->n_sysctls : 0;

	if (n > 0 && netns_fd < 0)
		return sl_err_set(
			err, 0, "sysctl %s: the pod has the host's network", c->sysctls[0]->key);
	for (size_t i = 0; i < n; i++)
		if (pod_set_sysctl(c->sysctls[i]->key, c->sysctls[i]->value, err) < 0)
			return -1;
	return 0;
}

/* No container enters this ipc namespace. The runtime compares the inode numbers of the ipc
 * namespaces that bundles name, to find out which containers are in the same pod. */
static int become_pod(
	int netns_fd, pid_t parent, const Sandbox__LinuxConfig *config, struct sl_err *err)
{
	if (prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0L, 0L, 0L) < 0 || getppid() != parent)
		return sl_err_set(err, ESRCH, "the shim has ended");
	if (netns_fd >= 0 && setns(netns_fd, CLONE_NEWNET) < 0)
		return sl_err_set(err, errno, "enter the network namespace");
	if (unshare(CLONE_NEWIPC) < 0)
		return sl_err_set(err, errno, "make an ipc namespace");
	return pod_set_sysctls(netns_fd, config, err);
}

/* Writes the error to the pipe when it fails, and closes the pipe when it has the namespaces. */
static _Noreturn void hold(
	int netns_fd, int tell_fd, pid_t parent, const Sandbox__LinuxConfig *config)
{
	struct sl_err err = { 0 };

	if (become_pod(netns_fd, parent, config, &err) < 0) {
		if (write(tell_fd, &err, sizeof(err)) < 0)
			_exit(2);
		_exit(1);
	}
	prctl(PR_SET_NAME, "sandlock:[pod]", 0L, 0L, 0L);
	proctitle_set("sandlock:[pod]");
	close_range(3, ~0U, 0);
	for (;;)
		pause();
}

pid_t sandbox_hold(const char *netns_path, const Sandbox__PodConfig *config, struct sl_err *err)
{
	struct sl_err why;
	auto_fd int netns_fd = -1, hear_fd = -1, tell_fd = -1;
	const pid_t parent = getpid();
	int pair[2];
	pid_t pid;

	if (*netns_path) {
		netns_fd = open(netns_path, O_RDONLY | O_CLOEXEC);
		if (netns_fd < 0)
			return sl_err_set(err, errno, "sandbox: open %s", netns_path);
	}
	if (pipe2(pair, O_CLOEXEC) < 0)
		return sl_err_set(err, errno, "sandbox: pipe");
	hear_fd = pair[0];
	tell_fd = pair[1];
	pid = fork();
	if (pid < 0)
		return sl_err_set(err, errno, "sandbox: fork");
	if (pid == 0)
		hold(netns_fd, tell_fd, parent, config ? config->linux_config : NULL);
	drop_fd(&tell_fd);
	if (read(hear_fd, &why, sizeof(why)) == (ssize_t)sizeof(why)) {
		*err = why;
		return sl_err_wrap(err, "sandbox (network %s)", netns_path);
	}
	return pid;
}
