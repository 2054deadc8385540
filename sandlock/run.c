/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/clock.h"
#include "runtime/base/daemon.h"
#include "runtime/base/image.h"
#include "runtime/tty/attach.h"
#include "sandbox/profile.h"
#include "sandbox/sandbox.h"
#include "sandlock/sandlock.h"
#include "sandlock/status.h"

struct run {
	struct runtime *rt;
	struct sandbox_options options;
	struct sandbox_request request;
	struct status_pipe status;
	int64_t start_s;
};

/* With a terminal on all three the command gets one of its own, so that it has job control and
 * cannot write into the caller's. */
static bool wants_terminal(void)
{
	return isatty(0) && isatty(1) && isatty(2);
}

static void forward_to_sandbox(int sig, void *ctx)
{
	const int *pid_fd = ctx;

	pidfd_send_signal(*pid_fd, sig, NULL, 0);
}

/* Relays the terminal until the end; *ret is the status of wait(2). */
static int wait_terminal(struct run *r, struct container_created *c, int *ret, struct sl_err *err)
{
	auto_fd int pid_fd = pidfd_open(c->pid, 0);
	const struct attach at = {
		.end_fd = pid_fd,
		.master_fd = take_fd(&c->master_fd),
		.on_signal = forward_to_sandbox,
		.also_fd = -1,
		.ctx = &pid_fd,
	};
	int rc;

	if (pid_fd < 0)
		return sl_err_set(err, errno, "pidfd_open");
	rc = attach_wait(&at, err);
	if (waitpid(c->pid, ret, 0) < 0)
		return sl_err_set(err, errno, "wait for the sandbox");
	if (container_delete(r->rt, r->request.id, CONTAINER_DELETE_ANY, err) < 0)
		return -1;
	return rc;
}

/* The words of runtime/init/lookup.c, which are runc's. */
static int failed_status(const struct sl_err *err)
{
	if (strncmp(err->msg, "exec", 4) != 0)
		return STATUS_FAILED;
	return strstr(err->msg, "no such file") || strstr(err->msg, "not found") ? STATUS_NOT_FOUND
										 : STATUS_NOT_EXEC;
}

/* For --explain: nothing is made. */
static int explain(struct run *r, struct sl_err *err)
{
	struct view_choice view;

	if (view_choose(r->options.view, &view, err) < 0 ||
		sandbox_request_make(
			r->rt->arena, &r->options, &view, wants_terminal(), &r->request, err) < 0 ||
		sandbox_explain(r->rt->arena, &r->request, &view, stdout, err) < 0)
		return -1;
	return fflush(stdout) == 0 ? 0 : sl_err_set(err, errno, "write the output");
}

/* Returns in a process that may mount. */
static int enter_view(struct run *r, char *const *all, struct view_choice *ret, struct sl_err *err)
{
	const struct sandbox_options *o = &r->options;
	struct view_entry entry = { 0 };

	if (view_is_entered(&r->rt->root)) {
		*ret = (struct view_choice){ .view = VIEW_USERNS };
		return sandbox_check_state_root(r->rt->root, err);
	}
	if (view_choose(o->view, ret, err) < 0 || sandbox_user(o, &entry.uid, &entry.gid, err) < 0)
		return -1;
	r->rt->root = entry.state_root = sandbox_state_root(r->rt->arena, err);
	return r->rt->root ? view_enter(ret->view, &entry, all, err) : -1;
}

/* Whether this program's file is of a user that the sandbox does not have, so that nobody in it can
 * change the file. A user namespace shows such a user as another one (user_namespaces(7)). */
static bool is_out_of_reach(enum view v)
{
	struct stat st;

	return v == VIEW_USERNS && stat("/proc/self/exe", &st) == 0 && st.st_uid != geteuid() &&
	       faccessat(AT_FDCWD, "/proc/self/exe", W_OK, AT_EACCESS) < 0;
}

static int prepare_run(
	struct run *r, char *const *all, struct container_create *req, struct sl_err *err)
{
	struct view_choice view;

	if (status_open(&r->status, r->options.status_fd, err) < 0 ||
		enter_view(r, all, &view, err) < 0 ||
		sandbox_request_make(
			r->rt->arena, &r->options, &view, wants_terminal(), &r->request, err) < 0)
		return -1;
	*req = (struct container_create){
		.id = r->request.id,
		/* for files that the runtime leaves beside a bundle */
		.bundle = arena_printf(r->rt->arena, "%s/%s", r->rt->root, r->request.id),
		.given = &r->request.given,
		.image_fd = -1,
		.keyring = CONTAINER_KEYRING_NEW,
		.release = getpid() == 1 ? CONTAINER_RUN_ATTACHED : CONTAINER_RUN_HERE,
		.terminal = CONTAINER_TERMINAL_KEPT,
		.remains = CONTAINER_STATE_GOES,
	};
	if (is_out_of_reach(view.view))
		return 0;
	/* This comes before any change, because it may execute this command again. */
	return image_protect(all, &req->image_fd, err);
}

/* A sandbox whose supervisor was killed leaves its name behind. */
static int free_name(struct run *r, struct sl_err *err)
{
	auto_container struct container c = CONTAINER_NONE;
	struct sl_err ignored;

	if (!r->options.name ||
		container_open(r->rt, r->request.id, CONTAINER_READ, &c, &ignored) < 0 ||
		c.status != RECORD_STOPPED)
		return 0;
	return container_delete(r->rt, r->request.id, CONTAINER_DELETE_STOPPED, err);
}

static int make_sandbox(
	struct run *r, char *const *all, struct container_created *c, struct sl_err *err)
{
	struct container_create req;

	if (prepare_run(r, all, &req, err) < 0 ||
		container_raise_open_files(r->rt->arena, &req, err) < 0 || free_name(r, err) < 0)
		return -1;
	attach_block_signals();
	r->start_s = clock_now_ms() / 1000;
	return container_run(r->rt, &req, c, err);
}

/* The command may end with the same status by itself. */
static void tell_timeout(const struct run *r, int status)
{
	const uint64_t s = r->request.timeout_s;

	if (s > 0 && WIFEXITED(status) && WEXITSTATUS(status) == STATUS_TIMED_OUT &&
		clock_now_ms() / 1000 - r->start_s >= (int64_t)s)
		fprintf(stderr, "sandlock: timeout after %llus\n", (unsigned long long)s);
}

static int print_run_help(void)
{
	printf("usage: sandlock run [options] -- command [arguments]\n\noptions:\n");
	sandbox_options_print_help(stdout);
	return fflush(stdout) == 0 ? 0 : STATUS_FAILED;
}

int sandlock_run(struct runtime *rt, int argc, char **argv, char *const *all)
{
	struct run r = { .rt = rt, .status = { .fd = -1 } };
	struct container_created c;
	struct sl_err err;
	int status = 0;

	if (argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0))
		return print_run_help();
	if (sandbox_options_read(rt->arena, argc, argv, &r.options, &err) < 0)
		return sandlock_fail(rt, &err);
	if (r.options.explain) {
		if (explain(&r, &err) == 0)
			return 0;
		sandbox_name_options(&err);
		return sandlock_fail(rt, &err);
	}
	if (make_sandbox(&r, all, &c, &err) < 0) {
		sandbox_name_options(&err);
		sandlock_fail(rt, &err);
		return status_tell_failure(&r.status, failed_status(&err));
	}
	status = c.status;
	if (c.stage != CONTAINER_ENDED && wait_terminal(&r, &c, &status, &err) < 0)
		sandlock_fail(rt, &err);
	tell_timeout(&r, status);
	return status_tell(&r.status, status);
}
