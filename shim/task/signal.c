/* SPDX-License-Identifier: Apache-2.0
 *
 * Kill, Pause, Resume and Update: one call of runtime/container each, in a worker.
 */
#include <errno.h>
#include <signal.h>
#include <sys/pidfd.h>

#include "shim/task/inside.h"

static int kill_main(const void *arg, struct worker_result *ret, struct sl_err *err)
{
	const struct ask *a = arg;
	const struct runtime rt = work_runtime(a->task);
	auto_container struct container c = CONTAINER_NONE;

	(void)ret;
	if (container_open(&rt, a->task->id, CONTAINER_READ, &c, err) < 0)
		return -1;
	return container_signal(
		&c, a->signal, a->everyone ? CONTAINER_EVERYONE : CONTAINER_MAIN, err);
}

static int pause_all(const void *arg, struct worker_result *ret, struct sl_err *err)
{
	const struct ask *a = arg;
	const struct runtime rt = work_runtime(a->task);

	(void)ret;
	return container_pause(&rt, a->task->id, err);
}

static int resume_all(const void *arg, struct worker_result *ret, struct sl_err *err)
{
	const struct ask *a = arg;
	const struct runtime rt = work_runtime(a->task);

	(void)ret;
	return container_resume(&rt, a->task->id, err);
}

static int update(const void *arg, struct worker_result *ret, struct sl_err *err)
{
	const struct ask *a = arg;
	const struct runtime rt = work_runtime(a->task);
	const struct container_update req = {
		.id = a->task->id,
		.resources = a->resources,
		.n_resources = a->n_resources,
	};

	(void)ret;
	return container_update(&rt, &req, err);
}

static void paused(struct task *t)
{
	task_set_paused(t, true);
}

static void resumed(struct task *t)
{
	task_set_paused(t, false);
}

static void kill_exec(struct process *p, struct ttrpc_call *call, int sig)
{
	struct sl_err err;

	if (p->pid_fd >= 0 && pidfd_send_signal(p->pid_fd, sig, NULL, 0) == 0) {
		answer_empty(call);
	} else if (p->pid_fd < 0 || errno == ESRCH) {
		ttrpc_fail(call, TTRPC_NOT_FOUND, "process already finished");
	} else {
		sl_err_set(&err, errno, "signal %d", sig);
		answer_error(call, &err);
	}
}

void task_kill(struct shim *s, struct ttrpc_call *call, const Task__KillRequest *r)
{
	struct process *p = process_of_call(s, call, r->id, r->exec_id);
	const struct ask ask = {
		.run = kill_main,
		.signal = (int)r->signal,
		.everyone = r->all,
	};

	if (!p)
		return;
	if (r->signal > (uint32_t)SIGRTMAX)
		ttrpc_fail(call, TTRPC_INVALID_ARGUMENT, "no such signal");
	else if (p->ended || p->stage >= PROCESS_STOPPED)
		ttrpc_fail(call, TTRPC_NOT_FOUND, "process already finished");
	else if (*p->exec_id && p->stage != PROCESS_RUNNING)
		ttrpc_fail(call, TTRPC_FAILED_PRECONDITION, "process not created");
	else if (*p->exec_id)
		kill_exec(p, call, ask.signal);
	else
		ask_begin(p->task, call, &ask);
}

void task_pause(struct shim *s, struct ttrpc_call *call, const Task__IdRequest *r)
{
	struct task *t = task_of_call(s, call, r->id);
	const struct ask ask = { .run = pause_all, .changed = paused };

	if (t)
		ask_begin(t, call, &ask);
}

void task_resume(struct shim *s, struct ttrpc_call *call, const Task__IdRequest *r)
{
	struct task *t = task_of_call(s, call, r->id);
	const struct ask ask = { .run = resume_all, .changed = resumed };

	if (t)
		ask_begin(t, call, &ask);
}

void task_update(struct shim *s, struct ttrpc_call *call, const Task__UpdateRequest *r)
{
	struct task *t = task_of_call(s, call, r->id);
	const struct ask ask = {
		.run = update,
		.resources = r->resources ? (const char *)r->resources->value.data : NULL,
		.n_resources = r->resources ? r->resources->value.len : 0,
	};

	if (t)
		ask_begin(t, call, &ask);
}
