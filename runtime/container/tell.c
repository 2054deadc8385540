/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>

#include "runtime/base/io.h"
#include "runtime/container/container.h"
#include "runtime/tty/tty.h"

static int write_pid_file(const char *path, pid_t pid, struct sl_err *err)
{
	char dir[PATH_MAX], base[PATH_MAX], text[16];
	auto_fd int dir_fd = -1;

	if (snprintf(dir, sizeof(dir), "%s", path) >= (int)sizeof(dir))
		return sl_err_set(err, ENAMETOOLONG, "pid file");
	memcpy(base, dir, sizeof(base));
	dir_fd = open(dirname(dir), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return sl_err_set(err, errno, "pid file %s", path);
	snprintf(text, sizeof(text), "%d", pid);
	if (io_replace_file(dir_fd, basename(base), text, strlen(text), 0644, err) < 0)
		return sl_err_wrap(err, "pid file %s", path);
	return 0;
}

static int send_pidfd(const char *path, pid_t pid, struct sl_err *err)
{
	auto_fd int fd = pidfd_open(pid, 0);

	if (fd < 0)
		return sl_err_set(err, errno, "pidfd of %d", pid);
	return tty_send_fd(path, "pidfd", fd, err);
}

int container_tell(const struct container_notice *n, pid_t pid, struct sl_err *err)
{
	if (n->pidfd_socket && send_pidfd(n->pidfd_socket, pid, err) < 0)
		return -1;
	return n->pid_file ? write_pid_file(n->pid_file, pid, err) : 0;
}
