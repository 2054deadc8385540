/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/proctitle.h"
#include "shim/sandbox/sandbox.h"

/* No container enters this ipc namespace. The runtime compares the inode numbers of the ipc
 * namespaces that bundles name, to find out which containers are in the same pod. */
static int become_pod(int netns_fd, pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0L, 0L, 0L) < 0 || getppid() != parent)
		return -1;
	if (netns_fd >= 0 && setns(netns_fd, CLONE_NEWNET) < 0)
		return -1;
	return unshare(CLONE_NEWIPC);
}

/* Writes errno to the pipe when it fails, and closes the pipe when it has the namespaces. */
static _Noreturn void hold(int netns_fd, int tell_fd, pid_t parent)
{
	int why;

	if (become_pod(netns_fd, parent) < 0) {
		why = errno;
		if (write(tell_fd, &why, sizeof(why)) < 0)
			_exit(2);
		_exit(1);
	}
	prctl(PR_SET_NAME, "sandlock:[pod]", 0L, 0L, 0L);
	proctitle_set("sandlock:[pod]");
	close_range(3, ~0U, 0);
	for (;;)
		pause();
}

pid_t sandbox_hold(const char *netns_path, struct sl_err *err)
{
	auto_fd int netns_fd = -1, hear_fd = -1, tell_fd = -1;
	const pid_t parent = getpid();
	int pair[2], why;
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
		hold(netns_fd, tell_fd, parent);
	drop_fd(&tell_fd);
	if (read(hear_fd, &why, sizeof(why)) == (ssize_t)sizeof(why))
		return sl_err_set(
			err, why, "sandbox: enter the namespaces (network %s)", netns_path);
	return pid;
}
