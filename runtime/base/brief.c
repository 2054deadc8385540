/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/brief.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/clock.h"

/* A signal may interrupt what waits again and again: the bound is a point in time. */
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

/* Nobody else waits for it, so the number is its own. */
static bool brief_is_stuck(struct brief *b)
{
	if (b->stuck != 0 && waitpid(b->stuck, NULL, WNOHANG) == 0)
		return true;
	b->stuck = 0;
	return false;
}

int brief_run(struct brief *b, int (*run)(void *ctx), void *ctx)
{
	auto_fd int fd = -1;
	pid_t pid;

	errno = EIO;
	pid = brief_is_stuck(b) ? -1 : fork();
	if (pid < 0)
		return -1;
	if (pid == 0)
		_exit(run(ctx) < 0 ? errno : 0);
	fd = pidfd_open(pid, 0);
	if (ends_in_time(fd))
		return result_of_child(pid);
	kill(pid, SIGKILL);
	b->stuck = pid;
	errno = EIO;
	return -1;
}
