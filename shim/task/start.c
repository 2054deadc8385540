/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/pidfd.h>

#include "shim/task/inside.h"

static int start_main(const void *arg, struct worker_result *ret, struct sl_err *err)
{
	const struct process *p = arg;
	const struct runtime rt = work_runtime(p->task);
	const struct container_start req = { .id = p->task->id };
	struct container_started started;

	(void)ret;
	return container_start(&rt, &req, &started, err);
}

static int start_exec(const void *arg, struct worker_result *ret, struct sl_err *err)
{
	const struct process *p = arg;
	const struct runtime rt = work_runtime(p->task);
	auto_container struct container c = CONTAINER_NONE;
	struct container_exec req;
	struct container_execed x;

	if (work_await_logger(p, err) < 0 ||
		container_open(&rt, p->task->id, CONTAINER_READ, &c, err) < 0 ||
		container_exec_base(&rt, &c, &req, err) < 0 ||
		spec_load_process(rt.arena, p->spec, p->n_spec, &req.process, err) < 0)
		return -1;
	if (req.process.terminal != p->terminal)
		return sl_err_set(err, 0,
			"exec: the request and the process disagree whether it has a terminal");
	req.terminal = CONTAINER_TERMINAL_KEPT;
	req.open_files = &p->task->shim->open_files;
	for (int i = 0; !p->terminal && i < STDIO_STREAMS; i++)
		req.stdio_fds[i] = p->stdio.child_fds[i];
	if (container_exec(&rt, &c, &req, &x, err) < 0)
		return -1;
	ret->pid = x.pid;
	ret->fds[0] = x.master_fd;
	ret->fds[1] = x.conn_fd;
	return 0;
}

static void answer_started(struct process *p, struct ttrpc_call *call)
{
	Task__PidResponse answer = TASK__PID_RESPONSE__INIT;

	tell_started(p);
	p->stage = PROCESS_RUNNING;
	answer.pid = (uint32_t)p->pid;
	ttrpc_answer(call, &answer);
	exits_settle(p->task);
}

/* After a failure a client can start or delete the process. The streams of an exec are closed,
 * because its client waits for their end. */
static void answer_failed(struct process *p, struct ttrpc_call *call, const struct sl_err *err)
{
	p->stage = PROCESS_CREATED;
	if (p != &p->task->main)
		stdio_close(&p->stdio);
	answer_error(call, err);
	exits_settle(p->task);
}

static void started_main(void *ctx, struct worker_result *r, const struct sl_err *err)
{
	struct process *p = ctx;

	if (r->died)
		look_begin(p->task, take_ptr(p->call), LOOK_AFTER_START, err);
	else if (err)
		answer_failed(p, take_ptr(p->call), err);
	else
		answer_started(p, take_ptr(p->call));
}

static void started_exec(void *ctx, struct worker_result *r, const struct sl_err *err)
{
	struct process *p = ctx;
	struct sl_err stdio_err;

	if (err) {
		answer_failed(p, take_ptr(p->call), err);
		return;
	}
	p->pid = r->pid;
	p->pid_fd = pidfd_open(p->pid, 0);
	if (stdio_begin(&p->stdio, r->fds[0], &stdio_err) < 0)
		shim_log(p->task->shim, "error", p->task->id, stdio_err.msg);
	exits_watch_exec(p, r->fds[1]);
	answer_started(p, take_ptr(p->call));
}

static int start_begin(struct process *p, struct sl_err *err)
{
	struct shim *s = p->task->shim;
	const bool main = p == &p->task->main;
	struct worker_job job = {
		.run = main ? start_main : start_exec,
		.arg = p,
		.done = main ? started_main : started_exec,
		.ctx = p,
	};

	if (!main && process_open_stdio(p, err) < 0)
		return -1;
	for (int i = 0; i < STDIO_STREAMS; i++)
		job.keep_fds[job.n_keep++] = p->stdio.child_fds[i];
	job.keep_fds[job.n_keep++] = p->stdio.logger.ready_fd;
	job.keep_fds[job.n_keep++] = s->log_fd;
	return worker_start(&s->workers, &job, err);
}

void task_start(struct shim *s, struct ttrpc_call *call, const Task__ProcessRequest *r)
{
	struct process *p = process_of_call(s, call, r->id, r->exec_id);
	struct sl_err err;

	if (!p)
		return;
	if (p->stage != PROCESS_CREATED || p->task->main.stage >= PROCESS_STOPPED) {
		ttrpc_fail(call, TTRPC_FAILED_PRECONDITION,
			p->task->main.stage >= PROCESS_STOPPED
				? "cannot start a container that has stopped"
				: "cannot start an already running container");
		return;
	}
	p->stage = PROCESS_STARTING;
	p->call = call;
	if (start_begin(p, &err) < 0)
		answer_failed(p, take_ptr(p->call), &err);
}
