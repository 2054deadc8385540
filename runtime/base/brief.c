/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/brief.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/clock.h"

/* The limit is a point in time, because signals may interrupt poll(2) many times. */
static bool ends_in_time(int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };
	const int64_t end = clock_now_ms() + BRIEF_MS;
	int rc = 0;

	for (int64_t left = BRIEF_MS; pidfd >= 0 && left > 0; left = end - clock_now_ms()) {
		rc = poll(&p, 1, (int)left);
		if (rc >= 0 || errno != EINTR)
			break;
	}
	return rc > 0;
}

static int result_of_child(pid_t pid)
{
	int status;
	pid_t got;

	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	errno = got == pid && WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
	return errno ? -1 : 0;
}

/* Only this process can reap the child, so its number cannot be reused. */
bool brief_is_stuck(struct brief *b)
{
	if (b->stuck != 0 && waitpid(b->stuck, NULL, WNOHANG) == 0)
		return true;
	b->stuck = 0;
	return false;
}

/* Returns the child's result if it ends in time. */
static int await_brief(struct brief *b, pid_t pid)
{
	auto_fd int fd = pidfd_open(pid, 0);

	if (ends_in_time(fd))
		return result_of_child(pid);
	kill(pid, SIGKILL);
	b->stuck = pid;
	errno = EIO;
	return -1;
}

int brief_run(struct brief *b, int (*run)(void *ctx), void *ctx)
{
	pid_t pid;

	errno = EIO;
	pid = brief_is_stuck(b) ? -1 : fork();
	if (pid == 0)
		_exit(run(ctx) < 0 ? errno : 0);
	return pid < 0 ? -1 : await_brief(b, pid);
}

/* Whether closing asks nobody. That is so for sockets, pipes, devices, files without a name, and
 * files on a block device. */
static bool closes_at_once(int fd)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &st) < 0)
		return false;
	return (!S_ISREG(st.stx_mode) && !S_ISDIR(st.stx_mode)) || st.stx_dev_major != 0;
}

void brief_close(struct brief *b, int *fd)
{
	const int saved = errno, closing = *fd;
	pid_t pid = -1;

	*fd = -1;
	/* If a child is blocked, the descriptor is closed here. This happens only when a caller
	 * exchanges its descriptor during the check. */
	if (!closes_at_once(closing) && !brief_is_stuck(b))
		pid = (pid_t)syscall(SYS_clone, BRIEF_CLOSE_FLAGS, 0L, 0L, 0L, 0L);
	if (pid <= 0)
		close(closing);
	if (pid == 0)
		_exit(0);
	if (pid > 0)
		await_brief(b, pid);
	errno = saved;
}
