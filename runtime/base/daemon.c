/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/daemon.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/proctitle.h"
#include "runtime/base/signals.h"

int daemon_stay(const char *name, const char *title)
{
	if (signals_block_all() < 0)
		return -1;
	if (prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L) < 0)
		return -1;
	if (prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L) < 0)
		return -1;
	prctl(PR_SET_NAME, name, 0L, 0L, 0L);
	proctitle_set(title);
	return 0;
}

int daemon_become(const char *name, const char *title)
{
	return setsid() < 0 ? -1 : daemon_stay(name, title);
}

int daemon_open_stdio(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= 2);
	return fd < 0 ? -1 : close(fd);
}

int daemon_exit_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

_Noreturn void daemon_end_like(int status)
{
	struct rlimit no_core = { 0, 0 };
	const int sig = WTERMSIG(status);

	if (WIFEXITED(status))
		_exit(daemon_exit_code(status));
	setrlimit(RLIMIT_CORE, &no_core);
	signal(sig, SIG_DFL);
	/* Only this signal is unblocked, because another pending one could end the process
	 * first. */
	signals_block_all();
	signals_unblock(sig);
	raise(sig);
	/* reached if the default action of the signal is not to end the process */
	_exit(daemon_exit_code(status));
}
