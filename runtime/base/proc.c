/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"

/* Only the first user namespace maps every id to itself. */
bool proc_in_user_namespace(void)
{
	char map[128];
	unsigned long inside = 0, outside = 0, count = 0;

	if (io_slurp(AT_FDCWD, "/proc/self/uid_map", map, sizeof(map)) <= 0)
		return false;
	return sscanf(map, "%lu %lu %lu", &inside, &outside, &count) != 3 || inside != 0 ||
	       outside != 0 || count != UINT32_MAX;
}

int proc_open(void)
{
	return open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int proc_open_dir(int proc_fd, const char *name)
{
	return openat(proc_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

uint64_t proc_number_in(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static int read_stat(int dir_fd, const char *path, struct proc_stat *ret)
{
	char buf[1024], *p;
	struct proc_stat s;
	int ppid;

	if (io_slurp(dir_fd, path, buf, sizeof(buf)) < 0)
		return -1;
	/* The name is in parentheses and may contain anything, so the last closing one counts. */
	p = strrchr(buf, ')');
	if (!p || sscanf(p + 1,
			  " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu %*d %*d "
			  "%u %*d %lu %*u %lu",
			  &s.state, &ppid, &s.user_ticks, &s.system_ticks, &s.waited_user_ticks,
			  &s.waited_system_ticks, &s.n_threads, &s.start, &s.rss_pages) != 9) {
		errno = EBADMSG;
		return -1;
	}
	s.ppid = ppid;
	*ret = s;
	return 0;
}

int proc_read_stat(int proc_fd, pid_t pid, struct proc_stat *ret)
{
	char path[32];

	snprintf(path, sizeof(path), "%d/stat", pid);
	return read_stat(proc_fd, path, ret);
}

int proc_read_stat_at(int dir_fd, struct proc_stat *ret)
{
	return read_stat(dir_fd, "stat", ret);
}

int proc_identify(int proc_fd, pid_t pid, struct proc_id *ret)
{
	struct proc_stat s;

	if (proc_read_stat(proc_fd, pid, &s) < 0)
		return -1;
	ret->pid = pid;
	ret->start = s.start;
	return 0;
}

bool proc_alive(int proc_fd, const struct proc_id *id)
{
	struct proc_stat s;

	if (id->pid <= 0)
		return false;
	if (proc_read_stat(proc_fd, id->pid, &s) < 0)
		return errno != ENOENT && errno != ESRCH;
	return s.start == id->start && s.state != 'Z' && s.state != 'X';
}

int proc_pidfd(int proc_fd, const struct proc_id *id)
{
	auto_fd int fd = -1;
	struct proc_stat s;

	errno = ESRCH;
	if (id->pid <= 0)
		return -1;
	fd = pidfd_open(id->pid, 0);
	if (fd < 0)
		return -1;
	/* The pidfd is opened first and the start time is compared afterwards: while the pidfd
	 * refers to the process, a match is certain. */
	if (proc_read_stat(proc_fd, id->pid, &s) < 0) {
		if (errno == ENOENT)
			errno = ESRCH;
		return -1;
	}
	if (s.start != id->start) {
		errno = ESRCH;
		return -1;
	}
	return take_fd(&fd);
}

int proc_signal(int proc_fd, const struct proc_id *id, int sig)
{
	auto_fd int fd = proc_pidfd(proc_fd, id);

	return fd < 0 ? -1 : pidfd_send_signal(fd, sig, NULL, 0);
}

bool proc_wait_end(int proc_fd, const struct proc_id *id, int timeout_ms)
{
	auto_fd int fd = proc_pidfd(proc_fd, id);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int r;

	if (fd < 0)
		return errno == ESRCH;
	do
		r = poll(&p, 1, timeout_ms);
	while (r < 0 && errno == EINTR);
	return r > 0;
}

int proc_fetch_fd(pid_t pid, int fd)
{
	auto_fd int pidfd = pidfd_open(pid, 0);

	return pidfd < 0 ? -1 : pidfd_getfd(pidfd, fd, 0);
}
