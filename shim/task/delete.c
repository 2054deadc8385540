/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <string.h>

#include "shim/rootfs/rootfs.h"
#include "shim/task/inside.h"

/* Output that the client has not read after this time is lost, as with runc's shim. */
#define DRAIN_MS 10000
#define HURRY_MS 2000 /* how long a logger has after SIGTERM */

static void answer_deleted(struct process *p)
{
	Task__DeleteResponse r = TASK__DELETE_RESPONSE__INIT;
	Common__Timestamp at = proto_time(p->ended_at);

	r.pid = (uint32_t)p->pid;
	r.exit_status = answer_status(p->status);
	r.exited_at = &at;
	ttrpc_answer(take_ptr(p->call), &r);
}

static int remove_container(const void *arg, struct worker_result *ret, struct sl_err *err)
{
	const struct task *t = arg;
	const struct runtime rt = work_runtime(t);
	/* Of one that has ended a Delete that was killed may have left a part. */
	const enum container_delete what =
		t->main.ended ? CONTAINER_DELETE_ANY : CONTAINER_DELETE_STOPPED;

	(void)ret;
	if (container_delete(&rt, t->id, what, err) < 0 && err->code != ENOENT &&
		strcmp(err->msg, "container does not exist") != 0)
		return -1;
	return rootfs_unmount(t->bundle, err);
}

static void removed(void *ctx, struct worker_result *r, const struct sl_err *err)
{
	struct task *t = ctx;
	struct process *p = &t->main;

	(void)r;
	if (err) {
		p->stage = p->ended ? PROCESS_STOPPED : PROCESS_CREATED;
		answer_error(take_ptr(p->call), err);
		return;
	}
	/* If the container was never started, the deletion has ended its main process. */
	exits_reap(t->shim);
	if (!p->ended)
		exits_of_main(t, SIGKILL);
	tell_deleted(p);
	answer_deleted(p);
	task_forget(t);
}

static void delete_finish(struct process *p)
{
	struct task *t = p->task;
	const struct worker_job job = {
		.run = remove_container,
		.arg = t,
		.keep_fds = { t->shim->log_fd },
		.n_keep = 1,
		.done = removed,
		.ctx = t,
	};
	struct sl_err err;

	loop_stop_timer(&t->shim->loop, &p->limit);
	stdio_close(&p->stdio);
	if (p != &t->main) {
		answer_deleted(p);
		task_forget_exec(p);
	} else if (worker_start(&t->shim->workers, &job, &err) < 0) {
		removed(t, NULL, &err);
	}
}

static void delete_too_late(struct loop_timer *timer)
{
	delete_finish(LOOP_OWNER(timer, struct process, limit));
}

static void hurry(struct loop_timer *timer)
{
	struct process *p = LOOP_OWNER(timer, struct process, limit);

	stdio_hurry(&p->stdio);
	loop_set_timer(&p->task->shim->loop, timer, clock_now_ms() + HURRY_MS, delete_too_late);
}

static void delete_drained(struct stdio *s)
{
	delete_finish(LOOP_OWNER(s, struct process, stdio));
}

/* Whether a worker starts an exec'd process of the task. The worker uses the task, which must not
 * be freed before it has ended. */
static bool starts_one(const struct process *p)
{
	const struct process *x = *p->exec_id ? NULL : p->task->execs;

	while (x && x->stage != PROCESS_STARTING)
		x = x->next;
	return x;
}

void task_delete(struct shim *s, struct ttrpc_call *call, const Task__ProcessRequest *r)
{
	struct process *p = process_of_call(s, call, r->id, r->exec_id);

	if (!p)
		return;
	if (p->stage == PROCESS_DELETING) {
		ttrpc_fail(call, TTRPC_FAILED_PRECONDITION, "it is being deleted already");
		return;
	}
	if ((p->stage != PROCESS_CREATED && p->stage != PROCESS_STOPPED) || starts_one(p)) {
		ttrpc_fail(call, TTRPC_FAILED_PRECONDITION,
			"cannot delete a process that is not stopped: running");
		return;
	}
	p->stage = PROCESS_DELETING;
	p->call = call;
	if (!p->ended || stdio_is_drained(&p->stdio)) {
		delete_finish(p);
		return;
	}
	p->stdio.on_drained = delete_drained;
	loop_set_timer(&s->loop, &p->limit, clock_now_ms() + DRAIN_MS, hurry);
}
