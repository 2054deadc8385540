/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cmd/exec_wait.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/wait.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/daemon.h"
#include "runtime/tty/attach.h"

/* The message has already arrived when this wait begins. */
#define END_MS 1000

static void forward_to_process(int sig, void *ctx)
{
	pidfd_send_signal(*(int *)ctx, sig, NULL, 0);
}

int exec_wait_attached(int conn_fd, pid_t pid, int master_fd, int *ret_status, struct sl_err *err)
{
	/* The process may have ended already; then no signals are forwarded. */
	auto_fd int pid_fd = pidfd_open(pid, 0);
	int why = errno;
	const struct attach at = {
		.end_fd = conn_fd,
		.master_fd = master_fd,
		.on_signal = forward_to_process,
		.also_fd = -1,
		.ctx = &pid_fd,
	};

	if (pid_fd < 0 && why != ESRCH)
		return sl_err_set(err, why, "exec: watch the process");
	if (attach_wait(&at, err) < 0)
		return -1;
	return container_exec_wait(conn_fd, END_MS, ret_status, err);
}

/* Keeps only the connection, moved to descriptor 3. The caller's stdio is closed. */
static _Noreturn void proxy_main(struct cli *cli, int conn_fd, pid_t pid)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC), status = SIGKILL;
	struct sl_err err;

	/* A proxy that is only half set up would keep the caller's pipes open, so it exits,
	 * which kills the process. */
	if (daemon_become("sandlock:[exec]", "sandlock:[exec]") < 0 || dup2(null_fd, 0) < 0 ||
		dup2(null_fd, 1) < 0 || dup2(null_fd, 2) < 0 ||
		(conn_fd != 3 && dup3(conn_fd, 3, O_CLOEXEC) < 0) || close_range(4, ~0U, 0) < 0)
		daemon_end_like(SIGKILL);
	arena_free(cli->rt.arena);
	malloc_trim(0);
	if (exec_wait_attached(3, pid, -1, &status, &err) < 0)
		status = SIGKILL; /* the supervisor and the container are gone */
	daemon_end_like(status);
}

int exec_leave_proxy(struct cli *cli, int conn_fd, pid_t pid, const struct container_notice *notice,
	struct sl_err *err)
{
	auto_fd int ready_fd = -1, theirs = -1;
	int pair[2];
	pid_t proxy;
	char none;

	if (pipe2(pair, O_CLOEXEC) < 0)
		return sl_err_set(err, errno, "pipe");
	ready_fd = pair[0];
	theirs = pair[1];
	proxy = fork();
	if (proxy < 0)
		return sl_err_set(err, errno, "fork the exec proxy");
	if (proxy == 0)
		proxy_main(cli, conn_fd, pid);
	drop_fd(&theirs);
	/* The proxy closes its end of the pipe together with all that it has inherited. When
	 * read(2) returns, it leads a process group of its own, which callers signal, and holds
	 * no descriptor of the caller's stdio. */
	while (read(ready_fd, &none, 1) < 0 && errno == EINTR)
		;
	if (container_exec_report(conn_fd, proxy, err) < 0 ||
		container_tell(notice, proxy, err) < 0) {
		kill(proxy, SIGKILL);
		waitpid(proxy, NULL, 0);
		return -1;
	}
	return 0;
}
