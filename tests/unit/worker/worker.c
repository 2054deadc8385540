/* SPDX-License-Identifier: Apache-2.0
 *
 * What a worker gives back: numbers, bytes, descriptors, errors; that it dies; that it has no
 * descriptor but those it was given; and that results come before the end of what it made.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/worker/worker.h"
#include "tests/unit/check.h"

static struct loop loop;
static struct workers workers = { .loop = &loop };
static int n_done;
static bool failed, died;
static char said[SL_ERR_MAX];
static pid_t made;

static void done(void *ctx, struct worker_result *r, const struct sl_err *err)
{
	char byte = 0;

	n_done++;
	failed = err != NULL;
	died = r->died;
	strcpy(said, err ? err->msg : "");
	made = r->pid;
	if (!err && ctx) {
		CHECK(r->n_bytes == 5 && memcmp(r->bytes, "hello", 5) == 0);
		CHECK(r->fds[0] < 0 && r->fds[1] >= 0);
		CHECK(read(r->fds[1], &byte, 1) == 1 && byte == 'x');
		close(r->fds[1]);
	}
}

static void run(int (*fn)(const void *arg, struct worker_result *ret, struct sl_err *err),
	const void *arg, int keep_fd, void *ctx)
{
	const struct worker_job job = {
		.run = fn,
		.arg = arg,
		.keep_fds = { keep_fd },
		.n_keep = 1,
		.done = done,
		.ctx = ctx,
	};
	const int before = n_done;
	struct sl_err err;

	CHECK(worker_start(&workers, &job, &err) == 0);
	while (n_done == before)
		loop_turn(&loop);
	CHECK(workers.n == 0);
}

static int gives(const void *arg, struct worker_result *ret, struct sl_err *err)
{
	int pair[2];

	(void)err;
	if (pipe2(pair, O_CLOEXEC) < 0 || write(pair[1], "x", 1) != 1)
		return -1;
	ret->fds[1] = pair[0];
	ret->bytes = arg;
	ret->n_bytes = 5;
	ret->pid = 42;
	return 0;
}

static int fails(const void *arg, struct worker_result *ret, struct sl_err *err)
{
	(void)arg;
	(void)ret;
	return sl_err_set(err, 0, "it failed");
}

static int dies(const void *arg, struct worker_result *ret, struct sl_err *err)
{
	(void)arg;
	(void)ret;
	(void)err;
	_exit(3);
}

/* arg: the descriptor that it may have, and one that it may not. */
static int looks(const void *arg, struct worker_result *ret, struct sl_err *err)
{
	const int *fds = arg;

	(void)ret;
	if (fcntl(fds[0], F_GETFD) < 0)
		return sl_err_set(err, 0, "the named one is gone");
	if (fcntl(fds[1], F_GETFD) >= 0)
		return sl_err_set(err, 0, "the other one is there");
	return 0;
}

/* A child that ends before this process does. */
static int leaves_one(const void *arg, struct worker_result *ret, struct sl_err *err)
{
	(void)arg;
	(void)err;
	ret->pid = fork();
	if (ret->pid == 0)
		_exit(7);
	return 0;
}

static void ends_in_order(void)
{
	const struct worker_job job = { .run = leaves_one, .done = done };
	const int before = n_done;
	struct sl_err err;
	int status;
	pid_t pid;

	made = 0;
	CHECK(worker_start(&workers, &job, &err) == 0);
	while ((pid = waitpid(-1, &status, 0)) > 0) {
		if (worker_reaped(&workers, pid))
			continue;
		worker_collect(&workers);
		CHECK(pid == made && WEXITSTATUS(status) == 7);
	}
	worker_collect(&workers);
	CHECK(n_done == before + 1);
}

int main(void)
{
	const int fds[] = { open("/dev/null", O_RDONLY | O_CLOEXEC),
		open("/", O_PATH | O_CLOEXEC) };

	CHECK(loop_open(&loop) == 0 && prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L) == 0);
	run(gives, "hello", -1, &loop);
	CHECK(!failed && made == 42);
	run(fails, NULL, -1, NULL);
	CHECK(failed && !died && strcmp(said, "it failed") == 0);
	run(dies, NULL, -1, NULL);
	CHECK(failed && died && strstr(said, "ended before it was done"));
	run(looks, fds, fds[0], NULL);
	CHECK(!failed);
	while (waitpid(-1, NULL, 0) > 0)
		;
	ends_in_order();
	loop_close(&loop);
	return check_done();
}
