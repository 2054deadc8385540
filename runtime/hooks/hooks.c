/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/hooks/hooks.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/clock.h"
#include "runtime/base/io.h"

#define OUTPUT_MAX 512

/* The state document is a file and not a pipe: so a hook that does not read it cannot block the
 * runtime. */
static int hook_state_file(const char *state, struct sl_err *err)
{
	auto_fd int fd = memfd_create("hook-state", MFD_CLOEXEC);

	if (fd < 0 || io_write_all(fd, state, strlen(state)) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return sl_err_set(err, errno, "hook state");
	return take_fd(&fd);
}

/* Returns to the namespaces of the runtime, if the supervisor has entered the container's. */
static int enter(const struct hooks_place *where)
{
	if (where->net_fd >= 0 && setns(where->net_fd, CLONE_NEWNET) < 0)
		return -1;
	if (where->mnt_fd < 0)
		return 0;
	return setns(where->mnt_fd, CLONE_NEWNS) < 0 || fchdir(where->root_fd) < 0 ||
			       chroot(".") < 0
		       ? -1
		       : 0;
}

/* This comes before the descriptors are closed, because dir_fd is one of them. */
static int change_directory(const struct hooks_place *where)
{
	if (where->dir_fd >= 0)
		return fchdir(where->dir_fd);
	return where->directory ? chdir(where->directory) : 0;
}

/* Nobody waits for a hook whose runtime was killed, and nobody applies its timeout. */
static void hook_end_with_parent(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0L, 0L, 0L) < 0 || getppid() != parent)
		_exit(126);
}

static _Noreturn void hook_child(const struct spec_hook *h, int in_fd, int out_fd, pid_t parent,
	const struct hooks_place *where)
{
	char *const *env = h->env ? h->env : where->env ? where->env : environ;
	char *only_path[] = { (char *)h->path, NULL };
	sigset_t none;

	hook_end_with_parent(parent);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (enter(where) < 0) {
		dprintf(out_fd, "enter the runtime's namespaces: %s", strerror(errno));
		_exit(126);
	}
	if (change_directory(where) < 0) {
		dprintf(out_fd, "chdir %s: %s", where->directory, strerror(errno));
		_exit(126);
	}
	/* With a process group of its own, the hook's children are killed with it at a timeout. */
	if (setpgid(0, 0) < 0 || dup2(in_fd, 0) < 0 || dup2(out_fd, 1) < 0 || dup2(out_fd, 2) < 0 ||
		close_range(3, ~0U, 0) < 0) {
		dprintf(out_fd, "place the descriptors: %s", strerror(errno));
		_exit(126);
	}
	execve(h->path, h->n_args ? h->args : only_path, env);
	dprintf(2, "exec %s: %s", h->path, strerror(errno));
	_exit(127);
}

/* Waits for the hook and keeps the end of its output. Returns false on timeout. */
static bool wait_hook(pid_t pid, int pid_fd, int out_fd, int timeout_s, char *out, int *ret_status)
{
	int64_t end = timeout_s > 0 ? clock_now_ms() + (int64_t)timeout_s * 1000 : -1;
	struct pollfd p[2] = {
		{ .fd = pid_fd, .events = POLLIN },
		{ .fd = out_fd, .events = POLLIN },
	};
	size_t len = 0;

	for (;;) {
		int wait = end < 0 ? -1 : (int)(end - clock_now_ms());

		if (end >= 0 && wait <= 0)
			return false;
		if (poll(p, 2, wait) < 0)
			continue;
		if (p[1].revents) {
			ssize_t r;

			if (len > OUTPUT_MAX / 2) {
				memmove(out, out + len / 2, len - len / 2);
				len -= len / 2;
			}
			r = read(out_fd, out + len, OUTPUT_MAX - 1 - len);
			if (r > 0)
				len += (size_t)r;
			else
				p[1].fd = -1;
			out[len] = '\0';
			continue; /* read all output first: it may explain a failure */
		}
		if (p[0].revents && (waitpid(pid, ret_status, 0) == pid || errno != EINTR))
			return true; /* the hook has ended, so waitpid(2) does not block */
	}
}

int hooks_judge(const char *path, int status, char *out, struct sl_err *err)
{
	out[strcspn(out, "\n")] = '\0';
	if (WIFSIGNALED(status))
		return sl_err_set(err, 0, "%s: signal %d, output: %s", path, WTERMSIG(status), out);
	if (WEXITSTATUS(status) != 0)
		return sl_err_set(
			err, 0, "%s: exit status %d, output: %s", path, WEXITSTATUS(status), out);
	return 0;
}

static void kill_hook(pid_t pid)
{
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL); /* in case setpgid(2) has not happened yet */
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static int run_one(const struct spec_hook *h, const char *state, const struct hooks_place *where,
	struct sl_err *err)
{
	auto_fd int in_fd = hook_state_file(state, err);
	auto_fd int out_fd = -1, write_fd = -1, pid_fd = -1;
	char out[OUTPUT_MAX] = "";
	int pipe_fds[2], status = 0;
	pid_t parent, pid;

	if (in_fd < 0)
		return -1;
	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return sl_err_set(err, errno, "hook output");
	out_fd = pipe_fds[0];
	write_fd = pipe_fds[1];
	parent = getpid();
	pid = fork();
	if (pid < 0)
		return sl_err_set(err, errno, "fork for %s", h->path);
	if (pid == 0)
		hook_child(h, in_fd, write_fd, parent, where);
	drop_fd(&write_fd);
	pid_fd = pidfd_open(pid, 0);
	if (pid_fd < 0) {
		sl_err_set(err, errno, "watch %s", h->path);
		kill_hook(pid);
		return -1;
	}
	if (!wait_hook(pid, pid_fd, out_fd, h->timeout_seconds, out, &status)) {
		kill_hook(pid);
		return sl_err_set(
			err, 0, "%s: did not end within %d seconds", h->path, h->timeout_seconds);
	}
	return hooks_judge(h->path, status, out, err);
}

static int run_nth(const struct spec_hook_list *list, size_t i, const char *kind, const char *state,
	const struct hooks_place *where, struct sl_err *err)
{
	if (run_one(&list->items[i], state, where, err) < 0)
		return sl_err_wrap(err, "error running %s hook #%zu", kind, i);
	return 0;
}

int hooks_run(const struct spec_hook_list *list, const char *kind, const char *state,
	const struct hooks_place *where, struct sl_err *err)
{
	for (size_t i = 0; i < list->n; i++)
		if (run_nth(list, i, kind, state, where, err) < 0)
			return -1;
	return 0;
}

void hooks_run_all(const struct spec_hook_list *list, const char *kind, const char *state,
	const struct hooks_place *where, void (*on_failure)(const struct sl_err *err, void *ctx),
	void *ctx)
{
	struct sl_err err;

	for (size_t i = 0; i < list->n; i++)
		if (run_nth(list, i, kind, state, where, &err) < 0)
			on_failure(&err, ctx);
}
