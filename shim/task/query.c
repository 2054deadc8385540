/* SPDX-License-Identifier: Apache-2.0
 *
 * State, Wait, Connect, ResizePty and CloseIO: methods that need no worker, because the shim itself
 * has the answer.
 */
#include <unistd.h>

#include "shim/task/inside.h"

static Task__Status query_status_of(const struct process *p)
{
	if (p->stage >= PROCESS_STOPPED)
		return TASK__STATUS__STOPPED;
	if (p->stage <= PROCESS_CREATED)
		return TASK__STATUS__CREATED;
	if (p->stage == PROCESS_STARTING)
		return TASK__STATUS__CREATED;
	return p->task->paused ? TASK__STATUS__PAUSED : TASK__STATUS__RUNNING;
}

void task_state(struct shim *s, struct ttrpc_call *call, const Task__ProcessRequest *r)
{
	const struct process *p = process_of_call(s, call, r->id, r->exec_id);
	Task__StateResponse a = TASK__STATE_RESPONSE__INIT;
	Common__Timestamp at;

	if (!p)
		return;
	a.id = p->task->id;
	a.bundle = p->task->bundle;
	a.pid = (uint32_t)p->pid;
	a.status = query_status_of(p);
	a.input = p->paths[STDIO_IN];
	a.output = p->paths[STDIO_OUT];
	a.errors = p->paths[STDIO_ERR];
	a.terminal = p->terminal;
	a.exec_id = p->exec_id;
	if (a.status == TASK__STATUS__STOPPED) {
		at = proto_time(p->ended_at);
		a.exited_at = &at;
		a.exit_status = answer_status(p->status);
	}
	ttrpc_answer(call, &a);
}

void task_wait(struct shim *s, struct ttrpc_call *call, const Task__ProcessRequest *r)
{
	struct process *p = process_of_call(s, call, r->id, r->exec_id);
	Task__WaitResponse a = TASK__WAIT_RESPONSE__INIT;
	Common__Timestamp at;

	if (!p)
		return;
	if (p->stage < PROCESS_STOPPED || !p->ended) {
		ttrpc_park(call, &p->waiters);
		return;
	}
	at = proto_time(p->ended_at);
	a.exit_status = answer_status(p->status);
	a.exited_at = &at;
	ttrpc_answer(call, &a);
}

void task_connect(struct shim *s, struct ttrpc_call *call, const Task__IdRequest *r)
{
	const struct task *t = task_find(s, r->id);
	Task__ConnectResponse a = TASK__CONNECT_RESPONSE__INIT;

	a.shim_pid = (uint32_t)getpid();
	a.task_pid = t ? (uint32_t)t->main.pid : 0;
	ttrpc_answer(call, &a);
}

void task_resize(struct shim *s, struct ttrpc_call *call, const Task__ResizePtyRequest *r)
{
	struct process *p = process_of_call(s, call, r->id, r->exec_id);
	struct sl_err err;

	if (!p)
		return;
	if (stdio_resize(&p->stdio, (uint16_t)r->width, (uint16_t)r->height, &err) < 0)
		answer_error(call, &err);
	else
		answer_empty(call);
}

void task_close_io(struct shim *s, struct ttrpc_call *call, const Task__CloseIORequest *r)
{
	struct process *p = process_of_call(s, call, r->id, r->exec_id);

	if (!p)
		return;
	if (r->input)
		stdio_close_in(&p->stdio);
	answer_empty(call);
}
