/* SPDX-License-Identifier: Apache-2.0
 *
 * What the verdicts need to know about the machine. These functions change nothing.
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "spec/support_judge.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

bool host_has_apparmor(void)
{
	char buf[8];

	return io_slurp(AT_FDCWD, "/sys/module/apparmor/parameters/enabled", buf, sizeof(buf)) >
		       0 &&
	       buf[0] == 'Y';
}

bool host_has_selinux(void)
{
	struct statfs fs;

	return statfs("/sys/fs/selinux", &fs) == 0 && fs.f_type == SELINUX_MAGIC;
}

static int clone_flag(enum spec_ns_type type)
{
	switch (type) {
	case SPEC_NS_PID: return CLONE_NEWPID;
	case SPEC_NS_NETWORK: return CLONE_NEWNET;
	case SPEC_NS_MOUNT: return CLONE_NEWNS;
	case SPEC_NS_IPC: return CLONE_NEWIPC;
	case SPEC_NS_UTS: return CLONE_NEWUTS;
	case SPEC_NS_USER: return CLONE_NEWUSER;
	case SPEC_NS_CGROUP: return CLONE_NEWCGROUP;
	case SPEC_NS_TIME: return CLONE_NEWTIME;
	case SPEC_NS_COUNT: break;
	}
	return 0;
}

/* The path may be of any file, even a FIFO or a device. Therefore it is opened with O_PATH first,
 * and opened for reading only if it is on nsfs (ioctl_ns(2) needs such a descriptor). */
const char *host_namespace_problem(const char *path, enum spec_ns_type type)
{
	auto_fd int path_fd = open(path, O_PATH | O_CLOEXEC);
	auto_fd int fd = -1;
	char link[64];
	struct statfs fs;

	if (path_fd < 0)
		return errno == ENOENT ? "there is no such file" : "the path cannot be opened";
	if (fstatfs(path_fd, &fs) < 0 || fs.f_type != NSFS_MAGIC)
		return "the path is not a namespace";
	snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
	fd = open(link, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return "the namespace cannot be opened";
	if (ioctl(fd, NS_GET_NSTYPE) != clone_flag(type))
		return "the path is a namespace of another type";
	return NULL;
}
