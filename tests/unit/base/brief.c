/* SPDX-License-Identifier: Apache-2.0
 *
 * Work that may wait: its result, its bound, and that nothing is left of it.
 */
#include "runtime/base/brief.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/check.h"

static long ms_since(const struct timespec *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - t->tv_sec) * 1000 + (now.tv_nsec - t->tv_nsec) / 1000000;
}

static int does(void *ctx)
{
	errno = *(int *)ctx;
	return errno ? -1 : 0;
}

static int crashes(void *ctx)
{
	(void)ctx;
	raise(SIGKILL);
	return 0;
}

static int waits(void *ctx)
{
	(void)ctx;
	for (;;)
		pause();
	return 0;
}

/* Of any kind, once, and errno stays. */
static void close_one(int fd)
{
	struct brief b = { 0 };
	const int was = fd;

	CHECK(fd >= 0);
	errno = ERANGE;
	brief_close(&b, &fd);
	CHECK(fd == -1 && errno == ERANGE && b.stuck == 0);
	CHECK(fcntl(was, F_GETFD) < 0 && errno == EBADF);
}

static void close_all(void)
{
	close_one(socket(AF_UNIX, SOCK_STREAM, 0));
	close_one(open("/proc/self/status", O_RDONLY));
	close_one(memfd_create("file", MFD_CLOEXEC));
	close_one(open("/proc", O_RDONLY | O_DIRECTORY));
	close_one(open("/dev/null", O_RDONLY));
	close_one(open("/", O_PATH));
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

int main(void)
{
	struct brief b = { 0 };
	struct timespec began;
	int error = 0;

	CHECK(brief_run(&b, does, &error) == 0);
	error = ENOTDIR;
	CHECK(brief_run(&b, does, &error) < 0 && errno == ENOTDIR);
	CHECK(brief_run(&b, crashes, NULL) < 0 && errno == EIO);

	clock_gettime(CLOCK_MONOTONIC, &began);
	CHECK(brief_run(&b, waits, NULL) < 0 && errno == EIO);
	CHECK(ms_since(&began) >= BRIEF_MS && ms_since(&began) < 3 * BRIEF_MS);
	CHECK(b.stuck > 0);
	/* Killed, it is gone a moment later, and the next one has its turn. */
	usleep(100000);
	error = 0;
	CHECK(brief_run(&b, does, &error) == 0);
	CHECK(b.stuck == 0);
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);

	/* While one is there that does not end, no other begins. */
	b.stuck = fork();
	if (b.stuck == 0)
		waits(NULL);
	CHECK(brief_run(&b, does, &error) < 0 && errno == EIO);
	kill(b.stuck, SIGKILL);
	usleep(100000);
	CHECK(brief_run(&b, does, &error) == 0);
	close_all();
	return check_done();
}
