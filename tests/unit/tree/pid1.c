/* SPDX-License-Identifier: Apache-2.0
 *
 * /proc/1 holds a process: when that has ended and another has its number, nothing of the other is
 * below it. In a pid namespace, where the next number can be chosen.
 */
#include <sched.h>
#include <signal.h>

#include "tests/unit/tree/fixture.h"

static pid_t sleeper(void)
{
	pid_t pid = fork();

	if (pid == 0)
		for (;;)
			pause();
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int try_inside(void)
{
	char script[80], last[16];
	auto_fd int set_fd = -1;
	uint64_t ids[2];
	struct fixture f;
	size_t n = 0;
	pid_t pid, next;

	fx_begin(&f);
	fx_mount(&f, "/proc", "proc", "proc", "");
	fx_mount(&f, "/also", "proc", "proc", "");
	CHECK(fx_build(&f) == 0);
	pid = sleeper();
	CHECK(tree_show_main(&f.tree, pid, ids, &n, &f.err) == 0);
	CHECK(n == 2 && ids[0] && ids[1] && ids[0] != ids[1]);
	snprintf(script, sizeof(script),
		"read n x </proc/1/stat && [ $n = %d ] && read n x </also/1/stat && [ $n = %d ]",
		pid, pid);
	CHECK(fx_shell(&f, script) == 0);

	end(pid);
	snprintf(last, sizeof(last), "%d", pid - 1);
	set_fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
	CHECK(set_fd >= 0 && io_write_all(set_fd, last, strlen(last)) == 0);
	next = sleeper();
	CHECK(next == pid);
	snprintf(script, sizeof(script), "[ -r /proc/%d/stat ]", next);
	CHECK(fx_shell(&f, script) == 0); /* control: the number is another's */
	CHECK(fx_open(&f, "/proc/1/stat", O_RDONLY) == ESRCH);
	CHECK(fx_open(&f, "/also/1/root", O_RDONLY) == ESRCH);
	CHECK(fx_shell(&f, "ls /proc/1/ 2>/dev/null") != 0);
	end(next);
	fx_end(&f);
	return check_done();
}

/* Ends without the sanitizer's look at leaks, which needs a thread in its own pid namespace. */
static _Noreturn void end_with(int failed)
{
	fflush(stdout);
	_exit(failed);
}

static int status_of(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int in_new_namespace(void)
{
	pid_t pid;

	if (unshare(CLONE_NEWPID) < 0)
		return 1;
	pid = fork();
	if (pid == 0)
		end_with(try_inside());
	return status_of(pid);
}

int main(void)
{
	pid_t pid = fork();

	if (pid == 0)
		end_with(in_new_namespace());
	return status_of(pid);
}
